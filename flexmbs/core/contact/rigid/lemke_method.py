"""Lemke's method for contacts whose friction cones are pyramids with four faces (Cottle, Pang, Stone 2009, 4.4).

The linear complementarity problem of Stewart and Trinkle (1996): of each contact p = lam_n - l, and if it may stick
forces beta_j along +-t1, +-t2 and a slip gamma:

    0 <= y_n                     with  p      >= 0
    0 <= d_j . y_t + gamma       with  beta_j >= 0
    0 <= mu lam_n - sum beta_j   with  gamma  >= 0

of each pair one vanishes. It is the exact problem where contacts slide, have no friction or move in a plane of their
tangents; else it tells which contacts open, and about where they slip: a start for Newton's method. It finds a solution
where W is positive semidefinite and nothing slides, unless there is none; else it may end in a ray.

The right side is moved by about 1e-9 of its size, by other amounts in each row, so that no step is degenerate.
"""

from __future__ import annotations

from flexmbs.machine_code.kernel import kernel

FACES = 4
ROWS = 2 + FACES  # unknowns of a contact that may stick
MOVED = 1e-9  # of the right side
SOFT = 1e-9  # added to the diagonal of W, relative
STEPS = 20  # a row


def tableau_shape(contacts: int) -> tuple[int, int]:
    """Shape of the tableau of up to that many contacts."""
    rows = ROWS * contacts
    return rows, rows + 2


@kernel
def start_by_lemke(W, b, work, k, lam):
    """Overwrites ``lam`` by a solution with pyramids for cones and returns True, or returns False after a ray.

    After a ray ``work.contact`` is the contact whose normal force grows most along it.
    """
    rows = 0
    for i in range(k):
        rows += 1 if _has_one_row(work, i) else ROWS
    T = work.tableau[:rows, : rows + 2]
    _fill_tableau(W, b, work, k, T)
    found, column = _pivot(T, work.labels, work)
    if found:
        _read_forces(T, work, k, lam)
    elif column >= 0:
        work.contact = _jammed_contact(T, work, k, column)
    return found


@kernel
def _has_one_row(work, i):
    return work.sliding[i] == 1 or work.mu[i] == 0.0


@kernel
def _weights(work, i, part):
    """Force (n, t1, t2) per unit of an unknown of a contact; the slip has none."""
    if part == 0:
        if work.sliding[i] == 1:
            return 1.0, -work.mu[i] * work.direction[i, 0], -work.mu[i] * work.direction[i, 1]
        return 1.0, 0.0, 0.0
    if part > FACES:
        return 0.0, 0.0, 0.0
    sign = 1.0 if part % 2 == 1 else -1.0
    return 0.0, (sign if part <= 2 else 0.0), (sign if part > 2 else 0.0)


@kernel
def _fill_tableau(W, b, work, k, T):
    """w = M z + q as rows (M, q, 1); the last column is that of Lemke's artificial unknown."""
    rows = T.shape[0]
    T[:, :] = 0.0
    row = 0
    for i in range(k):
        for part in range(1 if _has_one_row(work, i) else ROWS):
            cn, c1, c2 = _weights(work, i, part)
            if part == 0:
                cn, c1, c2 = 1.0, 0.0, 0.0  # the normal row, whatever the force does
            column = 0
            for j in range(k):
                for other in range(1 if _has_one_row(work, j) else ROWS):
                    fn, f1, f2 = _weights(work, j, other)
                    T[row, column] = _combine(W, 3 * i, 3 * j, cn, c1, c2, fn, f1, f2)
                    T[row, rows] += work.least[j] * T[row, column] if other == 0 else 0.0
                    column += 1
            T[row, rows] += cn * b[3 * i] + c1 * b[3 * i + 1] + c2 * b[3 * i + 2]
            T[row, rows + 1] = 1.0
            row += 1
        if not _has_one_row(work, i):
            _fill_cone(work, i, T, row - ROWS)
    _regularise(work, k, T)


@kernel
def _combine(W, i, j, cn, c1, c2, fn, f1, f2):
    total = cn * (W[i, j] * fn + W[i, j + 1] * f1 + W[i, j + 2] * f2)
    total += c1 * (W[i + 1, j] * fn + W[i + 1, j + 1] * f1 + W[i + 1, j + 2] * f2)
    return total + c2 * (W[i + 2, j] * fn + W[i + 2, j + 1] * f1 + W[i + 2, j + 2] * f2)


@kernel
def _fill_cone(work, i, T, first):
    """Rows and columns of the slip of a contact, scaled so that they are of the size of W."""
    rows, slip = T.shape[0], first + ROWS - 1
    size = 1.0 / work.tangent_step[i]
    for face in range(first + 1, slip):
        T[face, slip] = size
        T[slip, face] = -size
    T[slip, first] = size * work.mu[i]
    T[slip, rows] = size * work.mu[i] * work.least[i]


@kernel
def _regularise(work, k, T):
    """Make W definite and no step degenerate."""
    rows, row = T.shape[0], 0
    largest = 0.0
    for i in range(rows):
        largest = max(largest, abs(T[i, rows]))
    for i in range(k):
        for part in range(1 if _has_one_row(work, i) else ROWS):
            if part <= FACES:
                T[row, row] += SOFT / (work.normal_step[i] if part == 0 else work.tangent_step[i])
            irregular = (0.6180339887498949 * (row + 1)) % 1.0
            T[row, rows] += MOVED * largest * (0.5 + irregular)
            row += 1


@kernel
def _pivot(T, labels, work):
    """Lemke's steps: (found, column of the ray or -1 after too many steps).

    A label is that of w (row) or z (rows + row); 2 rows is the artificial unknown.
    """
    rows = T.shape[0]
    for i in range(rows):
        labels[i], labels[rows + 1 + i] = i, rows + i  # of the rows (basic), of the columns
    row = 0
    for i in range(rows):
        if T[i, rows] < T[row, rows]:
            row = i
    if T[row, rows] >= 0.0:
        return True, -1
    labels[2 * rows + 1] = 2 * rows
    column = rows + 1
    for _step in range(STEPS * rows + 20):
        work.lemke_steps += 1
        leaving = _exchange(T, labels, row, column)
        if leaving == 2 * rows:
            return True, -1
        partner = leaving + rows if leaving < rows else leaving - rows
        column = _find_column(labels, rows, partner)
        row = _leaving_row(T, labels, column)
        if row < 0:
            return False, column
    return False, -1


@kernel
def _find_column(labels, rows, label):
    for i in range(rows + 1):
        if labels[rows + 1 + i] == label:
            return i if i < rows else rows + 1
    return -1


@kernel
def _leaving_row(T, labels, column):
    """The row that reaches zero first as the unknown of the column grows; -1: none. The artificial one first."""
    rows = T.shape[0]
    found, least = -1, 0.0
    largest = 0.0
    for i in range(rows):
        largest = max(largest, abs(T[i, column]))
    for i in range(rows):
        if T[i, column] < -1e-13 * largest:
            ratio = max(T[i, rows], 0.0) / -T[i, column]
            if found < 0 or ratio < least or (ratio == least and labels[i] == 2 * rows):
                found, least = i, ratio
    return found


@kernel
def _exchange(T, labels, row, column):
    """Exchange the unknowns of a row and a column; returns the label that left the rows."""
    rows = T.shape[0]
    inverse = 1.0 / T[row, column]
    pivot_row = T[row]
    for j in range(rows + 2):
        pivot_row[j] *= -inverse
    pivot_row[column] = inverse
    for i in range(rows):
        if i != row:
            factor = T[i, column]
            if factor != 0.0:
                line = T[i]
                line[column] = 0.0
                for j in range(rows + 2):
                    line[j] += factor * pivot_row[j]
    place = rows + 1 + (column if column < rows else rows)
    leaving = labels[row]
    labels[row], labels[place] = labels[place], leaving
    return leaving


@kernel
def _read_forces(T, work, k, lam):
    """Forces of the unknowns that stand in rows."""
    rows = T.shape[0]
    for i in range(k):
        lam[3 * i], lam[3 * i + 1], lam[3 * i + 2] = _force_of(work, i, 0, work.least[i])
    for basic in range(rows):
        label = work.labels[basic] - rows
        if label < 0 or label >= rows:
            continue
        i, part = _owner(work, label)
        fn, f1, f2 = _force_of(work, i, part, max(T[basic, rows], 0.0))
        lam[3 * i] += fn
        lam[3 * i + 1] += f1
        lam[3 * i + 2] += f2


@kernel
def _owner(work, unknown):
    """Contact of an unknown, and which of its unknowns it is."""
    i, first = 0, 0
    while unknown - first >= (1 if _has_one_row(work, i) else ROWS):
        first += 1 if _has_one_row(work, i) else ROWS
        i += 1
    return i, unknown - first


@kernel
def _jammed_contact(T, work, k, column):
    """The contact whose normal force, by its compliance, grows most with the unknown of a column."""
    rows = T.shape[0]
    found, largest = -1, 0.0
    for basic in range(-1, rows):
        label = (work.labels[basic] if basic >= 0 else work.labels[rows + 1 + min(column, rows)]) - rows
        if label < 0 or label >= rows:
            continue
        i, part = _owner(work, label)
        growth = (T[basic, column] if basic >= 0 else 1.0) / work.normal_step[i]
        if part == 0 and growth > largest:
            found, largest = i, growth
    return found


@kernel
def _force_of(work, i, part, value):
    fn, f1, f2 = _weights(work, i, part)
    return fn * value, f1 * value, f2 * value
