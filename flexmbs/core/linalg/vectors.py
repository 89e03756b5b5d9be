"""Sums and products of the first n numbers of vectors."""

from flexmbs.machine_code.kernel import kernel


@kernel
def dot(a, b, n):
    """Product of the first n numbers of two vectors."""
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total


@kernel
def subtract_part(a, unit, n):
    """Make the first n numbers of ``a`` orthogonal to a unit vector; returns the part that they had along it."""
    part = dot(a, unit, n)
    for i in range(n):
        a[i] -= part * unit[i]
    return part


@kernel
def add_multiple(a, factor, b, n):
    """Add a multiple of the first n numbers of ``b`` to those of ``a``."""
    for i in range(n):
        a[i] += factor * b[i]
