"""Products of half lines and second-order cones |(v1, v2)| <= v0: their algebra, scaling and distance to the edge.

Vectors have m numbers: the first ``lines`` are on half lines, each three after them in a cone (Alizadeh, Goldfarb 2003).
"""

import math

from flexmbs.machine_code.kernel import kernel

ROUNDING = 4e-16


@kernel
def set_identity(v, m, lines):
    """The unit of the product: the middle of the cones."""
    for i in range(m):
        v[i] = 1.0 if i < lines or (i - lines) % 3 == 0 else 0.0


@kernel
def determinant(v, i):
    """Product of the distances to both sides of the cone that begins at i."""
    size = math.sqrt(v[i + 1] * v[i + 1] + v[i + 2] * v[i + 2])
    return (v[i] - size) * (v[i] + size)


@kernel
def move_inside(v, m, lines):
    """Add as much of the identity that v, unless it is inside, has 1 of it to spare."""
    short = 0.0
    for i in range(lines):
        short = max(short, -v[i])
    for i in range(lines, m, 3):
        short = max(short, math.sqrt(v[i + 1] * v[i + 1] + v[i + 2] * v[i + 2]) - v[i])
    for i in range(m):
        if i < lines or (i - lines) % 3 == 0:
            v[i] += 1.0 + short


@kernel
def stay_inside(v, m, lines):
    """Mend what rounding has put on the edge of a cone, or beyond."""
    for i in range(lines, m, 3):
        v[i] = max(v[i], (1.0 + ROUNDING) * math.sqrt(v[i + 1] * v[i + 1] + v[i + 2] * v[i + 2]))


@kernel
def multiply(a, b, out, m, lines):
    """The Jordan product of a and b; ``out`` may be one of them."""
    for i in range(lines):
        out[i] = a[i] * b[i]
    for i in range(lines, m, 3):
        a0, a1, a2, b0, b1, b2 = a[i], a[i + 1], a[i + 2], b[i], b[i + 1], b[i + 2]
        out[i], out[i + 1], out[i + 2] = a0 * b0 + a1 * b1 + a2 * b2, a0 * b1 + b0 * a1, a0 * b2 + b0 * a2


@kernel
def divide(a, v, m, lines):
    """Overwrite v by x, whose product with a it is."""
    for i in range(lines):
        v[i] /= a[i]
    for i in range(lines, m, 3):
        first = (a[i] * v[i] - a[i + 1] * v[i + 1] - a[i + 2] * v[i + 2]) / determinant(a, i)
        v[i], v[i + 1], v[i + 2] = first, (v[i + 1] - first * a[i + 1]) / a[i], (v[i + 2] - first * a[i + 2]) / a[i]


@kernel
def find_scaling(s, z, m, lines, w, size):
    """The scaling W of Nesterov and Todd, W z = W^-1 s, as unit vectors w with a size; whether s and z are inside."""
    for i in range(lines):
        if not (s[i] > 0.0 and z[i] > 0.0):
            return False
        w[i], size[i] = 1.0, math.sqrt(s[i] / z[i])
    for i in range(lines, m, 3):
        s_det, z_det = determinant(s, i), determinant(z, i)
        if not (s[i] > 0.0 and z[i] > 0.0 and s_det > 0.0 and z_det > 0.0):
            return False
        size[i] = math.sqrt(math.sqrt(s_det / z_det))
        a, b = 1.0 / math.sqrt(s_det), 1.0 / math.sqrt(z_det)
        c = 1.0 / math.sqrt(2.0 + 2.0 * a * b * (s[i] * z[i] + s[i + 1] * z[i + 1] + s[i + 2] * z[i + 2]))
        w[i] = c * (a * s[i] + b * z[i])
        w[i + 1], w[i + 2] = c * (a * s[i + 1] - b * z[i + 1]), c * (a * s[i + 2] - b * z[i + 2])
    return True


@kernel
def scale(v, w, size, out, m, lines):
    """W v."""
    for i in range(lines):
        out[i] = v[i] * size[i]
    for i in range(lines, m, 3):
        dot = w[i + 1] * v[i + 1] + w[i + 2] * v[i + 2]
        part, c = v[i] + dot / (1.0 + w[i]), size[i]
        out[i], out[i + 1], out[i + 2] = c * (w[i] * v[i] + dot), c * (v[i + 1] + w[i + 1] * part), c * (v[i + 2] + w[i + 2] * part)


@kernel
def unscale(v, w, size, out, m, lines):
    """W^-1 v."""
    for i in range(lines):
        out[i] = v[i] / size[i]
    for i in range(lines, m, 3):
        dot = w[i + 1] * v[i + 1] + w[i + 2] * v[i + 2]
        part, c = v[i] - dot / (1.0 + w[i]), 1.0 / size[i]
        out[i], out[i + 1], out[i + 2] = c * (w[i] * v[i] - dot), c * (v[i + 1] - w[i + 1] * part), c * (v[i + 2] - w[i + 2] * part)


@kernel
def longest_step(v, d, m, lines):
    """Largest a <= 1 with v + a d in the cones, of v inside."""
    a = 1.0
    for i in range(lines):
        if -d[i] * a > v[i]:
            a = v[i] / -d[i]
    for i in range(lines, m, 3):
        slope = v[i] * d[i] - v[i + 1] * d[i + 1] - v[i + 2] * d[i + 2]
        bend, left = d[i] * d[i] - d[i + 1] * d[i + 1] - d[i + 2] * d[i + 2], determinant(v, i)
        root = math.sqrt(max(slope * slope - bend * left, 0.0))  # of left + 2 slope a + bend a^2; it is real up to rounding
        if slope <= 0.0:
            if (root - slope) * a > left:
                a = left / (root - slope)
        elif -bend * a > slope + root:
            a = (slope + root) / -bend
    return a
