"""How closed contacts share a load that more of them carry than it takes.

Where all contacts of a group slide they carry it as equal springs would: n = F_n nu with W_nn = F_n F_n^T of the normals, those
whose n would be negative nothing, and (A n + b)_n = 0, where A has the friction -mu n d of each with it.  They take load
again where F_n nu of those that have some says so (``State.wishes``).  Where some stick the
share is that of the contact problem.  From then on what changes no motion stays as it is:

The forces lam of contacts whose rows depend on each other are definite but for Q lam, with W of the rows that are on, B an
orthonormal basis of its rows, and Q = 1 - B^T B the projection on what no motion sees.  Their equations become
    G a + ... + c Q (lam - lam_0) = 0,
with lam_0 at the start of the step and c as large as W: regular, without any compliance in what moves.
"""

import math

from flexmbs.core.contact.rigid.holding import factor_delassus
from flexmbs.core.layout.switch_tables import OPEN, RESTING, SLIDING, STICKING
from flexmbs.core.linalg.copying import copy_matrix
from flexmbs.core.linalg.dense_lu import factorise, solve
from flexmbs.core.linalg.orthonormal_rows import find_row_basis
from flexmbs.core.linalg.vectors import dot
from flexmbs.core.stepping.rigid.members import joint_of, share_row, slot_of
from flexmbs.machine_code.kernel import kernel

SOFT = 1e-10  # compliance where differences of the equations rely on which unknowns are coupled, of the diagonal of W
NO_PULL, LIFTS = 1e-12, 1e-9  # of the largest force, of the largest acceleration: rounding
NO_WISH = 1e-10  # of the largest force
DEPENDENT = 1e-10  # of the diagonal: a row along which the contact cannot move


@kernel
def rows_off(rigid, i):
    """1, 2 or 3: the first, second or both tangents along which the contact cannot move."""
    off, normal = 0.0, rigid.delassus[3 * i, 3 * i]
    if rigid.delassus[3 * i + 1, 3 * i + 1] <= DEPENDENT * normal:
        off += 1.0
    if rigid.delassus[3 * i + 2, 3 * i + 2] <= DEPENDENT * normal:
        off += 2.0
    return off


@kernel
def fix_shares(tables, state, work, rigid, count):
    """Compliance of the rows that are on, 1/kg, where they depend on each other; else 0.

    Then c Q stands in ``work.sharing``, but not where differences of the equations rely on which unknowns are coupled.
    """
    rows, largest = 0, 0.0
    work.sharing[:] = 0.0
    state.sharing[:] = 0.0
    for i in range(count):
        off = int(rows_off(rigid, i))
        for k in range(3):
            mode = rigid.contact_mode_of[i]
            if mode == OPEN or mode == RESTING or (k > 0 and mode == SLIDING) or (k == 1 and off % 2 == 1):
                continue
            if k == 2 and off >= 2 or rigid.row[3 * i + k] < 0:
                continue
            rigid.on_row[rows] = 3 * i + k
            largest = max(largest, rigid.delassus[3 * i + k, 3 * i + k])
            rows += 1
    for i in range(rows):
        for j in range(rows):
            rigid.chosen_delassus[i, j] = rigid.delassus[rigid.on_row[i], rigid.on_row[j]]
    p = find_row_basis(rigid.chosen_delassus, rows, rows, DEPENDENT, rigid.F)
    if p == rows:
        return 0.0
    if len(tables.shift_start) == 0 and work.sharing.shape[0] > 0:
        fill_sharing(tables, state, work, rigid, rows, p, largest)
    copy_matrix(work.sharing, state.sharing)
    return SOFT * largest


@kernel
def fill_sharing(tables, state, work, rigid, rows, p, size):
    """``work.sharing`` = ``size`` Q of the rows ``rigid.on_row``; ``rigid.F`` (p, rows) is the basis B."""
    for r in range(rows):
        for c in range(rows):
            total = 1.0 if r == c else 0.0
            for i in range(p):
                total -= rigid.F[i, r] * rigid.F[i, c]
            row = share_row(tables, state, rigid.closed[rigid.on_row[r] // 3], rigid.on_row[r] % 3)
            column = share_row(tables, state, rigid.closed[rigid.on_row[c] // 3], rigid.on_row[c] % 3)
            work.sharing[row, column] = size * total


@kernel
def share_as_springs(tables, state, rigid, solver, moving):
    """Forces and modes of groups of which all contacts slide, as equal springs; ``rigid.by_springs`` says which these are."""
    state.wishes[:] = 0.0
    for i in range(moving):
        rigid.by_springs[i] = 0
    for i in range(moving):
        count, slides, first = 0, True, joint_of(tables, rigid.closed[rigid.lasting[i]]) < 0
        for j in range(moving):
            if rigid.group[rigid.lasting[j]] == rigid.group[rigid.lasting[i]] and rigid.contact_mode[j] != OPEN:
                slides = slides and rigid.contact_mode[j] != STICKING
                if joint_of(tables, rigid.closed[rigid.lasting[j]]) < 0:
                    first = first and j >= i
                    rigid.member[count] = j
                    count += 1
        if not first or count < 2:
            continue
        if slides:
            set_directions(rigid, solver, count)
            fill_sliding(tables, rigid, count, moving)
            spring_forces(rigid, count)
        if state.wishes.shape[0] > 0:
            keep_wishes(tables, state, rigid, count)


@kernel
def set_directions(rigid, solver, count):
    """Directions of members that begin to slide: against their friction, or along their acceleration."""
    for m in range(count):
        i = rigid.member[m]
        if rigid.contact_sliding[i] == 0:
            x, y = -rigid.chosen_force[3 * i + 1], -rigid.chosen_force[3 * i + 2]
            if x == 0.0 and y == 0.0:
                x, y = solver.y[3 * i + 1], solver.y[3 * i + 2]
            size = math.sqrt(x * x + y * y)
            rigid.direction_of[i, 0] = x / size if size > 0.0 else 0.0
            rigid.direction_of[i, 1] = y / size if size > 0.0 else 0.0
        else:
            rigid.direction_of[i, 0], rigid.direction_of[i, 1] = rigid.contact_direction[i, 0], rigid.contact_direction[i, 1]


@kernel
def fill_sliding(tables, rigid, count, moving):
    """``rigid.sliding_matrix`` A of the members, and their normal accelerations b without contact forces in ``held_force``.

    Friction of joints that slide is a load.
    """
    for m in range(count):
        r = 3 * rigid.lasting[rigid.member[m]]
        rigid.held_force[m] = rigid.contact_acceleration[r]
        for j in range(moving):
            if joint_of(tables, rigid.closed[rigid.lasting[j]]) >= 0:
                for k in range(3):
                    rigid.held_force[m] += rigid.delassus[r, 3 * rigid.lasting[j] + k] * rigid.chosen_force[3 * j + k]
        for j in range(count):
            other = rigid.member[j]
            c, mu = 3 * rigid.lasting[other], rigid.contact_friction[other]
            along = (
                rigid.delassus[r, c + 1] * rigid.direction_of[other, 0] + rigid.delassus[r, c + 2] * rigid.direction_of[other, 1]
            )
            rigid.sliding_matrix[m, j] = rigid.delassus[r, c] - mu * along
            rigid.chosen_delassus[m, j] = rigid.delassus[r, c]


@kernel
def spring_forces(rigid, count):
    """Forces of the members: those that would pull are left out, the worst first, until none would."""
    n, b, A = rigid.chosen_change, rigid.held_force, rigid.sliding_matrix
    p = factor_delassus(rigid.chosen_delassus, count, rigid.F)
    if p == count:
        return
    for m in range(count):
        rigid.on_row[m] = 1
    for _ in range(count):
        if not solve_springs(rigid, count, p):
            return
        worst, least, most = -1, 0.0, 0.0
        for m in range(count):
            most = max(most, abs(n[m]))
            if n[m] < least:
                worst, least = m, n[m]
        if worst < 0 or least >= -NO_PULL * most:
            break
        rigid.on_row[worst] = 0
    size = 0.0
    for m in range(count):
        size = max(size, abs(b[m]))
    for m in range(count):
        i, y = rigid.member[m], b[m]
        for j in range(count):
            y += A[m, j] * n[j]
        rigid.by_springs[i] = 1
        loaded = rigid.on_row[m] == 1 and n[m] > 0.0
        rigid.contact_mode[i] = SLIDING if loaded else RESTING if y <= LIFTS * size else OPEN
        rigid.chosen_force[3 * i] = n[m] if loaded else 0.0
        for k in range(2):
            rigid.chosen_force[3 * i + 1 + k] = -rigid.contact_friction[i] * rigid.chosen_force[3 * i] * rigid.direction_of[i, k]
            if loaded:
                rigid.contact_direction[i, k] = rigid.direction_of[i, k]


@kernel
def keep_wishes(tables, state, rigid, count):
    """``state.wishes`` of the members without load: F_i (F^T F)^-1 F^T with the rows F of those that have some."""
    for m in range(count):
        rigid.on_row[m] = 1 if rigid.contact_mode[rigid.member[m]] != RESTING else 0
        for j in range(count):
            r, c = 3 * rigid.lasting[rigid.member[m]], 3 * rigid.lasting[rigid.member[j]]
            rigid.chosen_delassus[m, j] = rigid.delassus[r, c]
    F, on, p = rigid.F, rigid.on_row, factor_delassus(rigid.chosen_delassus, count, rigid.F)
    square, x = rigid.cholesky[:p, :p], rigid.chosen_free[:p]
    for i in range(p):
        for j in range(p):
            square[i, j] = 0.0
            for m in range(count):
                square[i, j] += on[m] * F[m, i] * F[m, j]
    if not factorise(square, rigid.pivots[:p], 0.0):
        return
    for m in range(count):
        if on[m] == 1:
            continue
        for i in range(p):
            x[i] = F[m, i]
        solve(square, rigid.pivots[:p], x)
        row = slot_of(tables, state, rigid.closed[rigid.lasting[rigid.member[m]]])
        wish, largest = 0.0, 0.0
        for j in range(count):
            column = slot_of(tables, state, rigid.closed[rigid.lasting[rigid.member[j]]])
            state.wishes[row, column] = on[j] * dot(F[j], x, p)
            wish += state.wishes[row, column] * rigid.chosen_force[3 * rigid.member[j]]
            largest = max(largest, rigid.chosen_force[3 * rigid.member[j]])
        if wish > NO_WISH * largest:  # it would pull as soon as it had a load: strong friction, a long lever
            state.wishes[row, :] = 0.0


@kernel
def solve_springs(rigid, count, p):
    """``rigid.chosen_change`` n = F nu of the members that are on, with F^T (A n + b) = 0; False where that is singular."""
    F, A, b, n, on = rigid.F, rigid.sliding_matrix, rigid.held_force, rigid.chosen_change, rigid.on_row
    square, x = rigid.cholesky[:p, :p], rigid.chosen_free[:p]
    for i in range(p):
        x[i] = 0.0
        for m in range(count):
            x[i] -= on[m] * F[m, i] * b[m]
        for j in range(p):
            square[i, j] = 0.0
            for m in range(count):
                for c in range(count):
                    square[i, j] += on[m] * on[c] * F[m, i] * A[m, c] * F[c, j]
    if not factorise(square, rigid.pivots[:p], 0.0):
        return False
    solve(square, rigid.pivots[:p], x)
    for m in range(count):
        n[m] = 0.0
        for i in range(p):
            n[m] += on[m] * F[m, i] * x[i]
    return True
