"""A smooth triangle: quartic Gregory patch (D. J. Walton, D. S. Meek, Computer-Aided Design 28 (1996) 113-119).

Neighbours with the same normals at their common corners have the same curve and the same tangent planes along their
common edge. With barycentric coordinates b_0, b_1, b_2 the point is

    sum b_i^4 V_i + sum over i != j of 4 b_i^3 b_j C_ij + sum over i < j of 6 b_i^2 b_j^2 M_ij
        + sum over i of 12 b_i^2 b_j b_k (b_j G_ij + b_k G_ik) / (b_j + b_k)

Numbers in the pool, vectors of three: V_0 V_1 V_2, C_01 C_10 C_12 C_21 C_20 C_02, M_01 M_12 M_20, G in the order of C;
then the vectors that tell inside from outside on sharp edges 01, 12, 20 and at sharp corners 0, 1, 2 (zero: smooth);
then how far the patch is from its flat triangle at most.
"""

from flexmbs.machine_code.kernel import kernel

CORNER, NEAR, MIDDLE, INNER = 0, 9, 27, 36  # where the points begin
EDGE_SIDE, CORNER_SIDE, BULGE, PATCH = 54, 63, 72, 73


@kernel
def edge_part(a, b, near_a, middle, near_b):
    """4 a^3 b C_ab + 6 a^2 b^2 M + 4 a b^3 C_ba: value, derivatives a, b, aa, ab, bb."""
    aa, ab, bb = a * a, a * b, b * b
    value = ab * (4.0 * aa * near_a + 6.0 * ab * middle + 4.0 * bb * near_b)
    by_a = b * (12.0 * aa * near_a + 12.0 * ab * middle + 4.0 * bb * near_b)
    by_b = a * (4.0 * aa * near_a + 12.0 * ab * middle + 12.0 * bb * near_b)
    by_aa = 12.0 * b * (2.0 * a * near_a + b * middle)
    by_ab = 12.0 * (aa * near_a + 2.0 * ab * middle + bb * near_b)
    by_bb = 12.0 * a * (a * middle + 2.0 * b * near_b)
    return value, by_a, by_b, by_aa, by_ab, by_bb


@kernel
def inner_part(a, b, c, near_b, near_c):
    """12 a^2 b c (b G_ab + c G_ac) / (b + c): value, derivatives a, b, c, aa, ab, ac, bb, bc, cc."""
    m = b + c
    if m <= 1e-300:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    p, q = b / m, c / m  # all terms are m^k times polynomials of these
    n = p * q * (p * near_b + q * near_c)
    n_b, n_c = q * (2.0 * p * near_b + q * near_c), p * (p * near_b + 2.0 * q * near_c)
    n_bb, n_cc, n_bc = 2.0 * q * near_b, 2.0 * p * near_c, 2.0 * (p * near_b + q * near_c)
    r = m * m * n
    r_b, r_c = m * (n_b - n), m * (n_c - n)
    r_bb, r_cc = n_bb - 2.0 * n_b + 2.0 * n, n_cc - 2.0 * n_c + 2.0 * n
    r_bc = n_bc - n_b - n_c + 2.0 * n
    aa, a2 = 12.0 * a * a, 24.0 * a
    return aa * r, a2 * r, aa * r_b, aa * r_c, 24.0 * r, a2 * r_b, a2 * r_c, aa * r_bb, aa * r_bc, aa * r_cc


@kernel
def patch_component(pool, at, k, b1, b2):
    """Component ``k`` of the point at (b1, b2), and its derivatives 1, 2, 11, 12, 22."""
    b0 = 1.0 - b1 - b2
    corner, near, middle, inner = at + CORNER + k, at + NEAR + k, at + MIDDLE + k, at + INNER + k
    v0, v1, v2 = pool[corner], pool[corner + 3], pool[corner + 6]
    s01, s01_0, s01_1, s01_00, s01_01, s01_11 = edge_part(b0, b1, pool[near], pool[middle], pool[near + 3])
    s12, s12_1, s12_2, s12_11, s12_12, s12_22 = edge_part(b1, b2, pool[near + 6], pool[middle + 3], pool[near + 9])
    s20, s20_2, s20_0, s20_22, s20_20, s20_00 = edge_part(b2, b0, pool[near + 12], pool[middle + 6], pool[near + 15])
    t0, t0_0, t0_1, t0_2, t0_00, t0_01, t0_02, t0_11, t0_12, t0_22 = inner_part(b0, b1, b2, pool[inner], pool[inner + 15])
    t1, t1_1, t1_2, t1_0, t1_11, t1_12, t1_10, t1_22, t1_20, t1_00 = inner_part(b1, b2, b0, pool[inner + 6], pool[inner + 3])
    t2, t2_2, t2_0, t2_1, t2_22, t2_20, t2_21, t2_00, t2_01, t2_11 = inner_part(b2, b0, b1, pool[inner + 12], pool[inner + 9])
    value = b0**4 * v0 + b1**4 * v1 + b2**4 * v2 + s01 + s12 + s20 + t0 + t1 + t2
    d0 = 4.0 * b0**3 * v0 + s01_0 + s20_0 + t0_0 + t1_0 + t2_0
    d1 = 4.0 * b1**3 * v1 + s01_1 + s12_1 + t0_1 + t1_1 + t2_1
    d2 = 4.0 * b2**3 * v2 + s12_2 + s20_2 + t0_2 + t1_2 + t2_2
    d00 = 12.0 * b0 * b0 * v0 + s01_00 + s20_00 + t0_00 + t1_00 + t2_00
    d11 = 12.0 * b1 * b1 * v1 + s01_11 + s12_11 + t0_11 + t1_11 + t2_11
    d22 = 12.0 * b2 * b2 * v2 + s12_22 + s20_22 + t0_22 + t1_22 + t2_22
    d01 = s01_01 + t0_01 + t1_10 + t2_01
    d12 = s12_12 + t0_12 + t1_12 + t2_21
    d20 = s20_20 + t0_02 + t1_20 + t2_20
    return value, d1 - d0, d2 - d0, d11 - 2.0 * d01 + d00, d12 - d01 - d20 + d00, d22 - 2.0 * d20 + d00
