"""Steps of fixed length through rigid contacts: impulses of all contacts at once, no events (Moreau 1988)."""
