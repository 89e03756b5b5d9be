"""Copying arrays without allocating: what numba makes of ``a[:] = b`` allocates where the two may overlap."""

from flexmbs.machine_code.kernel import kernel


@kernel
def copy_vector(source, target):
    """``target[:] = source`` of arrays with one dimension."""
    for i in range(target.shape[0]):
        target[i] = source[i]


@kernel
def copy_matrix(source, target):
    """``target[:] = source`` of arrays with two dimensions."""
    for i in range(target.shape[0]):
        for j in range(target.shape[1]):
            target[i, j] = source[i, j]
