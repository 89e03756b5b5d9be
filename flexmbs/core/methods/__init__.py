"""Integration methods: one file each."""
