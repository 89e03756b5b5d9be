"""Contact of surfaces that deform with the modes of their bodies: many points, one record."""
