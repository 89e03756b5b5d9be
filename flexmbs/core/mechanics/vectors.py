"""Vectors of three components, as three numbers, and the arrays that hold them."""

from flexmbs.machine_code.kernel import kernel


@kernel
def components(vector):
    """The three components of a vector."""
    return vector[0], vector[1], vector[2]


@kernel
def vector_at(pool, at):
    """The vector that stands in ``pool`` from offset ``at`` on."""
    return pool[at], pool[at + 1], pool[at + 2]


@kernel
def put(vector, x, y, z):
    """Set a vector."""
    vector[0], vector[1], vector[2] = x, y, z


@kernel
def add(vector, x, y, z):
    """Add to a vector."""
    vector[0] += x
    vector[1] += y
    vector[2] += z


@kernel
def difference(b, a):
    """b - a."""
    return b[0] - a[0], b[1] - a[1], b[2] - a[2]


@kernel
def cross(ax, ay, az, bx, by, bz):
    """Vector product a × b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def dot(vector, x, y, z):
    """Scalar product of a vector with (x, y, z)."""
    return vector[0] * x + vector[1] * y + vector[2] * z


@kernel
def dot_at(pool, at, x, y, z):
    """Product with the vector that stands in ``pool`` from offset ``at`` on."""
    return pool[at] * x + pool[at + 1] * y + pool[at + 2] * z


@kernel
def rotate(R, x, y, z):
    """R x: a vector in the axes of a frame, in those of the frame to which ``R`` (3, 3) leads."""
    return (
        R[0, 0] * x + R[0, 1] * y + R[0, 2] * z,
        R[1, 0] * x + R[1, 1] * y + R[1, 2] * z,
        R[2, 0] * x + R[2, 1] * y + R[2, 2] * z,
    )


@kernel
def rotate_back(R, x, y, z):
    """R^T x, the inverse of :func:`rotate`."""
    return (
        R[0, 0] * x + R[1, 0] * y + R[2, 0] * z,
        R[0, 1] * x + R[1, 1] * y + R[2, 1] * z,
        R[0, 2] * x + R[1, 2] * y + R[2, 2] * z,
    )


@kernel
def elements(R):
    """The nine numbers of a matrix, row by row."""
    return R[0, 0], R[0, 1], R[0, 2], R[1, 0], R[1, 1], R[1, 2], R[2, 0], R[2, 1], R[2, 2]


@kernel
def relative_rotation(R_WA, R_WB, out):
    """out = R_AB = R_WA^T R_WB."""
    for i in range(3):
        for j in range(3):
            out[i, j] = R_WA[0, i] * R_WB[0, j] + R_WA[1, i] * R_WB[1, j] + R_WA[2, i] * R_WB[2, j]


@kernel
def post_multiply(R, factor):
    """R = R factor."""
    for i in range(3):
        x, y, z = R[i, 0], R[i, 1], R[i, 2]
        for j in range(3):
            R[i, j] = x * factor[0, j] + y * factor[1, j] + z * factor[2, j]


@kernel
def post_multiply_transposed(R, factor):
    """R = R factor^T."""
    for i in range(3):
        x, y, z = R[i, 0], R[i, 1], R[i, 2]
        for j in range(3):
            R[i, j] = x * factor[j, 0] + y * factor[j, 1] + z * factor[j, 2]
