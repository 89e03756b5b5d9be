"""Linear vibration about a steady state."""
