"""Dense and banded LU factorisations."""
