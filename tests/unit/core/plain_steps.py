"""First steps of the founding case, to be run with and without FLEXMBS_PLAIN_PYTHON: numbers on standard output."""

import json

import flexmbs as fm
from flexmbs.core.stepping import step_loop

accepted = []
accept = step_loop.accept_step


def watched(*arguments):
    """The kernel itself, when it is Python that runs."""
    accepted.append(1)
    return accept(*arguments)


step_loop.accept_step = watched
case = fm.load_case("flexible_pendulum_impact")
module = case.module
system = module.build(module.resolve(module.Parameters()))
result = system.simulate(3e-5, rtol=1e-5, atol=1e-7)
numbers = {name: result[name].tolist() for name in ("hinge.angle", "energy.total", "stop.gap")}
steps = result.stats["steps_accepted"]
print(json.dumps({"t": result.t.tolist(), **numbers, "steps": steps, "python_steps": len(accepted)}))
