"""What it costs to keep inertia to first order in the modal coordinates, as standard input data of flexible bodies do.

    python docs/first_order_inertia.py

flexmbs has no such option; this script integrates the flexible pendulum impact in the plane from the body's inertia
fields, once with all terms (a check of the script: the figures of the case) and once with first-order inertia but
full geometric stiffness.
"""

from __future__ import annotations

import warnings

import numpy as np
from make_truncation_table import PENDULUM, pendulum_body, table
from scipy.integrate import solve_ivp, trapezoid

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])  # k x of a vector in the plane


class PlanarPendulum:
    """M(y) y'' + h(y, y') = Q with y = (theta, q); theta from hanging, gravity along X, the stop at Y = 0."""

    def __init__(self, p, first_order: bool):
        body = pendulum_body(p, "full", p.axial_modes)
        n = body.mode_count
        self.first_order, self.g, self.k = first_order, p.gravity, p.contact_stiffness
        self.root_mass, self.K = np.sqrt(body.mass), body.Ke
        self.X, self.P = body.inertia.X[:2], body.inertia.P[:, :2]
        tip = body.markers["tip"]
        self.tip, self.Phi = tip.position[:2], tip.Phi[:, :2]
        self.Z, self.Zu = np.zeros((n, n, *self.X.shape)), np.zeros((n, n, 2))
        for (a, b), cloud, point in zip(body.pairs, body.inertia.Z[:, :2], tip.Zu[:, :2], strict=True):
            self.Z[a, b] += 0.5 * cloud
            self.Z[b, a] += 0.5 * cloud
            self.Zu[a, b] += 0.5 * point
            self.Zu[b, a] += 0.5 * point

        def dot(u, v):
            return np.einsum("aks,bks->ab", u, v)

        turned = np.einsum("ij,bjs->bis", TURN, self.P)
        self.PP, self.PkP = dot(self.P, self.P), dot(self.P, turned)
        kX = TURN @ self.X
        self.XX, self.XP = np.sum(self.X**2), np.einsum("ks,aks->a", self.X, self.P)
        self.kXP, self.XZ = np.einsum("ks,aks->a", kX, self.P), np.einsum("ks,abks->ab", self.X, self.Z)
        self.kXZ = np.einsum("ks,abks->ab", kX, self.Z)
        self.PZ = np.einsum("aks,bcks->abc", self.P, self.Z)

    def inertia(self, q, w, u):
        """Mass matrix and h of inertia."""
        n = len(q)
        M, h = np.zeros((n + 1, n + 1)), np.zeros(n + 1)
        if self.first_order:
            M[0, 0] = self.XX + 2.0 * self.XP @ q
            M[0, 1:] = M[1:, 0] = self.kXP + (self.PkP + 2.0 * self.kXZ) @ q
            rise = 2.0 * self.PZ @ q
            M[1:, 1:] = self.PP + rise + rise.T
            h[0] = 2.0 * w * self.XP @ u
            h[1:] = -w * w * (self.XP + (self.PP + 2.0 * self.XZ) @ q) + 2.0 * w * self.PkP @ u
            return M, h
        Zq = np.tensordot(q, self.Z, 1)
        T, r = self.P + 2.0 * Zq, self.X + np.tensordot(q, self.P + Zq, 1)
        M[0, 0], M[0, 1:] = np.sum(r * r), np.einsum("ks,aks->a", TURN @ r, T)
        M[1:, 0], M[1:, 1:] = M[0, 1:], np.einsum("aks,bks->ab", T, T)
        b = -w * w * r + 2.0 * w * TURN @ np.tensordot(u, T, 1) + 2.0 * np.tensordot(u, np.tensordot(u, self.Z, 1), 1)
        h[0], h[1:] = np.sum(TURN @ r * b), np.einsum("aks,ks->a", T, b)
        return M, h

    def moment(self, q):
        """int r dm (2,) in body axes and its derivatives (n, 2)."""
        Zq = np.tensordot(q, self.Z[..., 0], 1)
        return self.root_mass * (self.X[:, 0] + q @ (self.P[..., 0] + Zq)), self.root_mass * (self.P[..., 0] + 2.0 * Zq)

    def gap(self, y):
        """Gap at the tip and its derivatives (n + 1,)."""
        q, s, c = y[1:], np.sin(y[0]), np.cos(y[0])
        Zq = np.tensordot(q, self.Zu, 1)
        r, dr = self.tip + q @ (self.Phi + Zq), self.Phi + 2.0 * Zq
        return s * r[0] + c * r[1], np.append(c * r[0] - s * r[1], s * dr[:, 0] + c * dr[:, 1])

    def rate(self, t, state, touching):
        m = len(state) // 2
        y, v = state[:m], state[m:]
        M, h = self.inertia(y[1:], v[0], v[1:])
        r, dr = self.moment(y[1:])
        s, c = np.sin(y[0]), np.cos(y[0])
        Q = self.g * np.append(-s * r[0] - c * r[1], c * dr[:, 0] - s * dr[:, 1])
        Q[1:] -= self.K @ y[1:]
        if touching:
            gap, gradient = self.gap(y)
            Q += -np.sign(gap) * self.k * abs(gap) ** 1.5 * gradient
        return np.append(v, np.linalg.solve(M, Q - h))

    def energy(self, state):
        m = len(state) // 2
        y, v = state[:m], state[m:]
        kinetic = 0.5 * v @ self.inertia(y[1:], v[0], v[1:])[0] @ v
        r, _ = self.moment(y[1:])
        fall = self.g * (np.cos(y[0]) * r[0] - np.sin(y[0]) * r[1])
        return kinetic, kinetic - fall + 0.5 * y[1:] @ self.K @ y[1:]


def swing(p, first_order: bool) -> list[str]:
    """A row of the table: phases of flight and contact, one after the other."""
    model = PlanarPendulum(p, first_order)
    n = len(model.K)
    state, t, touching = np.zeros(2 * n + 2), 0.0, False
    state[0] = p.start_angle
    starts, impulses, energies, ending = [], [], [model.energy(state)], "end reached"
    while t < p.t_end:

        def event(t, s):
            return model.gap(s[: n + 1])[0]

        event.terminal, event.direction = True, 1.0 if touching else -1.0
        flow = solve_ivp(
            lambda t, s, on=touching: model.rate(t, s, on),
            (t, p.t_end),
            state,
            method="DOP853",
            rtol=1e-8,
            atol=1e-11,
            events=event,
            first_step=1e-7,
            dense_output=touching,
        )
        if touching:
            times = np.linspace(t, flow.t[-1], 2001)
            force = [model.k * max(-model.gap(flow.sol(x)[: n + 1])[0], 0.0) ** 1.5 for x in times]
            impulses.append(trapezoid(force, times))
        else:
            energies += [model.energy(column) for column in flow.y.T]
        t, state = flow.t[-1], flow.y[:, -1]
        if flow.status == -1 or not np.all(np.isfinite(state)):
            ending = f"dies at {t:.4f} s"
            break
        if flow.status == 1 and not touching:
            starts.append(t)
        touching = not touching
    kinetic, total = np.array(energies).T
    return [
        "first order" if first_order else "all terms",
        f"{starts[0]:.7f}",
        f"{impulses[0]:.5f}",
        f"{len(starts)}",
        f"{state[0]:.5f}" if ending == "end reached" else "-",
        f"{np.abs(total - total[0]).max() / kinetic.max():.1e}",
        ending,
    ]


def main() -> None:
    warnings.simplefilter("error", RuntimeWarning)
    p = PENDULUM.resolve(PENDULUM.Parameters())
    header = ["inertia", "first contact [s]", "first impulse [N s]", "contacts", "angle at the end [rad]", "energy error", "run"]
    print(table(header, [swing(p, first_order) for first_order in (False, True)]))


if __name__ == "__main__":
    main()
