"""Contacts: shapes on markers, which pairs of them can touch, and the contact points that a pair becomes."""
