"""Small mechanisms in which features of the package meet: two joints, two bodies, a floor, and one level of every factor.

    ground - carrier (revolute) - arm - joint under test - hand - contact points over a floor

A feature is stated on the joint under test; where that joint cannot have it (which it must say by name), on the carrier.
Springs hold all parts, so that there is an equilibrium.
"""

import inspect
import pkgutil
from functools import cache
from importlib import import_module
from zlib import crc32

import numpy as np
from joint_examples import geometry

import flexmbs as fm
import flexmbs.core.laws.contact as contact_laws
import flexmbs.core.laws.friction as friction_laws
from flexmbs import JOINT_TYPES
from flexmbs.core.laws.contact.rigid import IMPACTS
from flexmbs.core.methods.method_table import INTEGRATORS
from flexmbs.mechanism.clearance.free_motions import JOINTS_WITH_PLAY

RUBBER = fm.Material("rubber", 5e7, 0.4, 1000.0)
PLAY, GAP = 1e-3, 3e-3  # m
FEET = np.array([(0.0, -0.05, -0.05), (0.3, -0.05, -0.05), (0.3, 0.05, -0.05), (0.0, 0.05, -0.05)])
LAWS = {  # numbers of every registered law
    "Anagnostopoulos": (1e5, 0.7),
    "ElasticFoundation": (1e8, 2.0),
    "ElasticPlastic": (1e8, 0.01, 1e6),
    "Flores": (3e6, 0.4),
    "Gonthier": (3e6, 0.4),
    "Hertz": (3e6,),
    "HertzLine": (1e7, 0.01, 0.02),
    "HuntCrossley": (3e6, 1.5, 0.3),
    "LankaraniNikravesh": (3e6, 0.8),
    "LinearContact": (1e5, 40.0),
    "PowerLaw": (3e5, 1.2),
    "Rigid": (0.6,),
    "Coulomb": (0.3, 0.2, 1e-2),
    "LuGre": (0.3, 0.2, 0.05, 1e3, 1.0),
    "Stribeck": (0.3, 0.2, 0.05),
    "Threlfall": (0.3, 0.2, 1e-2),
}


def registered(package, base) -> list[type]:
    """The laws of a package, one file each."""
    modules = [import_module(f"{package.__name__}.{module.name}") for module in pkgutil.iter_modules(package.__path__)]
    kinds = {kind for module in modules for _, kind in inspect.getmembers(module, inspect.isclass) if issubclass(kind, base)}
    return sorted((k for k in kinds if not inspect.isabstract(k) and hasattr(k, "force")), key=lambda k: k.__name__)


CONTACT_LAWS = {kind.__name__: kind for kind in registered(contact_laws, fm.ContactLaw)}
FRICTION_LAWS = {kind.__name__: kind for kind in registered(friction_laws, fm.ContactFriction)}
RIGID_LAWS = [name for name, kind in CONTACT_LAWS.items() if kind.is_rigid]
NONE = "none"
FACTORS = {  # the first level of each is the plain one, which names leave out
    "joint": sorted(JOINT_TYPES),
    "law": [NONE, *(n for n in CONTACT_LAWS if n not in RIGID_LAWS), *(f"{n}-{i}" for n in RIGID_LAWS for i in IMPACTS)],
    "points": ["1", "2", "3", "4"],
    "slip": [NONE, *FRICTION_LAWS],
    "friction": [NONE, "coefficients", *FRICTION_LAWS, "lagged-reaction", "dry", "dry-reaction"],
    "stop": [NONE, "compliant", "elastic", "plastic"],
    "play": [NONE, "compliant", "rigid"],
    "lock": [NONE, "event", "latch", "soft-latch"],
    "body": ["rigid", "beam", "solid"],
    "driver": [NONE, "position", "rate", "force", "motor", "carrier-position", "carrier-rate"],
    "control": [NONE, "sampled"],
    "state": [NONE, "filter", "acceleration"],
    "coordinates": ["reduced", "absolute"],
    "integrator": ["auto", *INTEGRATORS, "moreau"],
    "do": ["simulate", "assemble", "statics", "linearize", "kinematics", "equilibrium", "quasi-static", "resume", "store", "page"],
}

TYPES = {kind: JOINT_TYPES[kind](kind, **geometry(kind, np.random.default_rng(0))) for kind in FACTORS["joint"]}
COMPLIANT = [name for name, kind in CONTACT_LAWS.items() if not kind.is_rigid]
RIGID = [f"law={level}" for level in FACTORS["law"] if level not in (NONE, *COMPLIANT)] + ["play=rigid"]
WITH_PLAY, SOFT = ["play=compliant", "play=rigid"], ["stop=compliant", "lock=soft-latch"]
BY_RATE = ["driver=rate", "driver=carrier-rate"]
BALLS = [f"joint={kind}" for kind, made in TYPES.items() if made.ends_with_ball]
STICKING = ["friction=dry", "friction=dry-reaction"]
LOCATED = ["stop=elastic", "stop=plastic", "lock=event", "lock=latch"]
STATES = ["state=filter", "control=sampled", "lock=soft-latch", "friction=lagged-reaction"]
STATES += [f"{factor}={name}" for name, kind in FRICTION_LAWS.items() if kind.bristles for factor in ("slip", "friction")]
# What contradicts itself, one by one; it must be refused by name
CONTRADICTIONS = {
    "integrator=explicit": ["coordinates=absolute", "friction=lagged-reaction", *STICKING, *LOCATED, *RIGID],
    "integrator=moreau": [*(f"law={name}" for name in COMPLIANT), *WITH_PLAY[:1], *SOFT, *STICKING, *LOCATED],
    "do=linearize": STATES,
    "do=kinematics": [*STATES, *LOCATED, *BY_RATE, *WITH_PLAY, "body=beam", "body=solid", *BALLS],
    "do=quasi-static": ["body=rigid"],
    "driver=position": LOCATED,
    "driver=rate": LOCATED,
    **{f"law={name}": ["body=rigid", "slip=LuGre", "do=kinematics"] for name in COMPLIANT if CONTACT_LAWS[name].per_area},
}
# Not looked at: points and slip of no contact; drivers of the carrier that has the features of a joint without coordinate
MEANINGLESS = {"law=none": [f"{factor}={level}" for factor in ("slip", "points") for level in FACTORS[factor][1:]]}
for driver in ("driver=carrier-position", "driver=carrier-rate"):
    MEANINGLESS[driver] = [f"joint={kind}" for kind, made in TYPES.items() if not made.coordinates]


def name_of(levels: dict[str, str]) -> str:
    """As in the ids of tests: levels that are not plain."""
    return ",".join(f"{factor}={levels[factor]}" for factor in FACTORS if factor == "joint" or levels[factor] != FACTORS[factor][0])


def levels_of(name: str) -> dict[str, str]:
    """The combination with that name: ``levels_of("joint=screw,law=Hertz,do=statics")``."""
    plain = {factor: levels[0] for factor, levels in FACTORS.items()} | {"joint": "revolute"}
    return plain | dict(pair.split("=") for pair in name.split(","))


def law(name: str, **more):
    if name not in LAWS:
        raise AssertionError(f"law '{name}' has no numbers here, and the crossings need them")
    return {**CONTACT_LAWS, **FRICTION_LAWS}[name](*LAWS[name], **more)


def contact_law(name: str, slip: str):
    """A law, and the friction beside it; that of rigid contacts is part of them."""
    kind, _, impact = name.partition("-")
    if kind in RIGID_LAWS:
        return law(kind, impact=impact, friction=0.0 if slip == NONE else 0.3), None
    return law(kind), None if slip == NONE else law(slip)


@cache
def mesh_of(kind: str) -> fm.Mesh:
    if kind == "beam":
        return fm.line_mesh(0.3, 6, fm.rectangle(0.05, 0.05), RUBBER)
    return fm.box_mesh((0.3, 0.1, 0.05), (3, 1, 1), RUBBER)


@cache
def flexible(kind: str) -> fm.FlexibleBody:
    return fm.reduce(
        mesh_of(kind), interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree(at="hinge", count=3), damping=0.02
    )


def foot(hand, kind: str, number: int):
    """A marker under the hand: at a corner, or along a beam."""
    if kind == "rigid":
        return hand.marker(f"foot {number}", FEET[number])
    mesh = mesh_of(kind)
    place = (0.1 * number, 0.0, 0.0) if kind == "beam" else FEET[number] - FEET.min(axis=0)
    nearest = np.argmin(np.linalg.norm(mesh.points - place, axis=1))
    return hand.marker(f"foot {number}", node=int(mesh.node_ids[nearest]))


def has_one_axis(joint) -> bool:
    """Whether an exchange of its markers changes the sign of its coordinates, and nothing else."""
    axes = joint.type.axes
    return all(a.kind in ("rotation", "translation") and np.allclose(a.direction, axes[0].direction) for a in axes)


class Scene:
    """The mechanism of a combination.

    ``swapped``: markers of the joint under test exchanged; ``has_one_axis`` says whether that means the same.
    """

    def __init__(self, levels: dict[str, str], coordinates: str | None = None, swapped: bool = False, floor: bool = True):
        self.levels = levels
        self.rng = np.random.default_rng(crc32(levels["joint"].encode()))
        self.system = system = fm.System(gravity=(1.0, -0.7, -9.81), coordinates=coordinates or levels["coordinates"])
        self.arm = system.add(fm.RigidBody(2.0, (0.02, 0.05, 0.05), center=(0.2, 0.0, 0.0)), "arm")
        hand = fm.RigidBody(0.8, (0.002, 0.006, 0.006), center=(0.15, 0.0, 0.0)) if levels["body"] == "rigid" else None
        self.hand = system.add(hand or flexible(levels["body"]), "hand")
        self.sign = -1.0 if swapped else 1.0
        self.carrier = self._joint("revolute", system.ground["origin"], self.arm["origin"], "carrier", "y")
        out, inside = self.arm.marker("out", (0.4, 0.0, 0.0)), self.hand["origin" if levels["body"] == "rigid" else "hinge"]
        ends = (inside, out) if swapped else (out, inside)
        self.joint = self._joint(levels["joint"], *ends, "joint")
        self.one_axis = has_one_axis(self.joint)
        self._springs(out, inside)
        if levels["play"] != NONE and levels["joint"] not in JOINTS_WITH_PLAY:
            bob = system.add(fm.RigidBody(0.2, (1e-4, 1e-4, 1e-4), center=(0.0, 0.0, -0.05)), "bob")
            system.revolute(out, bob["origin"], axis="y", rate=0.5, name="pin", clearance=self._play("revolute"))
        for feature in ("friction", "stop", "lock"):
            if levels[feature] != NONE:
                self.on(self.joint, getattr(self, f"_{feature}"))
        if levels["driver"] != NONE:
            self.on(self.carrier if levels["driver"].startswith("carrier") else self.joint, self._driver)
        if levels["control"] != NONE:
            self.on(self.joint, self._control)
        self._state()
        self._start()
        if levels["law"] != NONE and floor:
            self._floor()

    def _joint(self, kind: str, a, b, name: str, axis=None):
        more = {"axis": axis} if axis else geometry(kind, self.rng)
        if self.levels["play"] != NONE and name == "joint" and kind in JOINTS_WITH_PLAY:
            more["clearance"] = self._play(kind)
        return self.system.joint(kind, a, b, name, **more)

    def _play(self, kind: str) -> fm.Clearance:
        touching = law("Rigid", friction=0.1) if self.levels["play"] == "rigid" else law("LankaraniNikravesh")
        size = {"length": 0.05, "section": (0.03, 0.04)} if kind == "prismatic" else {}
        return fm.Clearance(radial=PLAY, law=touching, **size)

    def on(self, joint, feature) -> None:
        """State a feature on a joint, or on the carrier if the joint refuses it by its name."""
        try:
            feature(joint, self.sign if joint is self.joint else 1.0)
        except fm.MechanismError as error:
            assert f"'{joint.name}'" in str(error), str(error)
            if joint is self.carrier:
                raise
            feature(self.carrier, 1.0)

    def coordinate(self, joint) -> str | None:
        """The first one that is not play."""
        return next((name for name in joint.type.coordinates if name not in joint.type.play), None)

    def unit(self, joint) -> float:
        """A size for its coordinate: 1 rad, or 0.1 m."""
        return 0.1 if joint.type.coordinates.get(self.coordinate(joint)) == "m" else 1.0

    def _springs(self, out, inside) -> None:
        self.carrier.spring(stiffness=60.0, damping=0.1, rest=-0.1)
        if self.levels["joint"] != "fixed":
            self.system.bushing(out, inside, stiffness=(400.0, 10.0), damping=(1.0, 0.02), name="bushing")

    def _friction(self, joint, sign) -> None:
        level, turns = self.levels["friction"], self.unit(joint) == 1.0
        size = {"radius": 0.02} if turns else {}
        if level.startswith("dry"):
            radius = {"radius": 0.02} if turns or joint.type.name in ("cylindrical", "spherical", "screw") else {}
            only = {} if joint.type.name in ("cylindrical", "spherical") else {"coordinate": self.coordinate(joint)}
            joint.friction(fm.DryFriction(0.3, 0.2), normal_force="reaction" if level == "dry-reaction" else 20.0, **radius, **only)
        else:
            given = (law(level),) if level in FRICTION_LAWS else (0.3, 0.2)
            size |= {} if level in FRICTION_LAWS else {"transition": 1e-2}
            load = "reaction" if level == "lagged-reaction" else 20.0
            joint.friction(*given, normal_force=load, coordinate=self.coordinate(joint), **size)

    def _stop(self, joint, sign) -> None:
        ends = sorted(sign * self.unit(joint) * end for end in (-0.05, 0.01))
        how = {"compliant": {"stiffness": 2e3, "damping": 1.0}, "elastic": {"restitution": 0.8}, "plastic": {"restitution": 0.0}}
        joint.limit(*ends, **how[self.levels["stop"]], coordinate=self.coordinate(joint))

    def _lock(self, joint, sign) -> None:
        level, name = self.levels["lock"], self.coordinate(joint)
        if level == "event":
            self.system.sensor("coordinate", joint, coordinate=name)  # refused by name where there is none
            self.system.event(0.03, fm.Lock((joint, name)), name="lock")
            self.system.event(0.07, fm.Free((joint, name)), name="free")
        else:
            how = {"stiffness": 500.0, "damping": 1.0} if level == "soft-latch" else {}
            at = sign * 0.006 * self.unit(joint)
            self.system.latch(joint, at=at, coordinate=name, direction="rising" if at > 0 else "falling", unlock=0.07, **how)

    def _driver(self, joint, sign) -> None:
        level, name, size = self.levels["driver"].removeprefix("carrier-"), self.coordinate(joint), sign * self.unit(joint)
        if level == "position":
            joint.prescribe(fm.Polynomial((0.0, 0.3 * size)) + fm.Harmonic(0.01 * size, 4.0), coordinate=name)
        elif level == "rate":
            joint.prescribe(rate=fm.Step(0.01, 0.06, 0.1 * size, 0.5 * size), coordinate=name)
        elif level == "force":
            joint.actuate(fm.Harmonic(2.0 * np.sign(size), 6.0), coordinate=name)
        else:
            joint.motor(([-5.0, 0.0, 5.0], [3.0, 2.0, 1.0]), command=0.8 * np.sign(size), coordinate=name)

    def _control(self, joint, sign) -> None:
        name = self.coordinate(joint)
        inputs = [self.system.sensor(kind, joint, coordinate=name) for kind in ("coordinate", "rate")]
        joint.actuate(self.system.controller("digital", lambda t, x, v: -20.0 * x - 0.1 * v, inputs, period=0.02), coordinate=name)

    def _state(self) -> None:
        level, tip = self.levels["state"], self.arm["out"]
        if level == "filter":
            speed = self.system.sensor("rate", self.carrier)
            self.system.force(tip, (0.0, 0.0, self.system.state("filter", lambda t, x, v: 50.0 * (3.0 * v - x), [speed])))
        elif level == "acceleration":
            felt = self.system.sensor("acceleration", tip, component="z")
            self.system.force(tip, (0.0, 0.0, self.system.function(lambda t, a: -0.2 * a, [felt])))

    def _start(self) -> None:
        """Rates of all coordinates that no driver moves; "kinematics" drives them all."""
        for joint in (self.carrier, self.joint):
            for name in joint.type.coordinates:
                sign = self.sign if joint is self.joint else 1.0
                size = 0.4 * sign * (0.25 if joint.type.coordinates[name] == "m" else 1.0)
                if name in joint.type.play or name in joint.drivers:
                    continue
                if self.levels["do"] == "kinematics":
                    joint.prescribe(fm.Polynomial((0.0, size)), coordinate=name)
                else:
                    self.system._state(joint, {name: 0.0}, {name: size})
            if joint.type.ends_with_ball:
                self.system._state(joint, {}, {}, np.eye(3), self.sign * np.array((0.2, -0.3, 0.1)))

    def _floor(self) -> None:
        """A plane below the feet, as they stand at the start."""
        levels = self.levels
        count = int(levels["points"])
        feet = [foot(self.hand, levels["body"], number) for number in range(count)]
        place, normal = floor_below(levels["joint"], levels["body"], levels["play"])
        force, friction = contact_law(levels["law"], levels["slip"])
        place = np.array(place) - (0.04 if force.per_area and levels["body"] == "beam" else 0.0) * np.array(normal)
        floor = fm.Plane(self.system.ground.marker("floor", place), normal)
        if force.per_area:
            below = {"where": lambda x: x[:, 2] < 1e-6} if levels["body"] == "solid" else {}
            surface = fm.BodySurface(self.hand, **below)
            self.system.contact(surface, floor, law=force, friction=friction, name="floor")
            return
        for number, marker in enumerate(feet):
            self.system.contact(fm.Point(marker), floor, law=force, friction=friction, name=f"foot {number}")


@cache
def floor_below(joint: str, body: str, play: str) -> tuple[tuple, tuple]:
    """Point and normal of a plane GAP below all feet of the assembled mechanism, parallel to them."""
    scene = Scene(levels_of(f"joint={joint},body={body},play={play}"), "reduced", floor=False)
    feet = [foot(scene.hand, body, number) for number in range(4)]
    for number, marker in enumerate(feet):
        scene.system.sensor("position", marker, name=f"at {number}")
    start = scene.system.assemble()
    at = np.array([[start[f"at {number}.{axis}"][0] for axis in "xyz"] for number in range(4)])
    _, sizes, axes = np.linalg.svd(at - at.mean(axis=0))
    up = np.array((0.0, 0.0, 1.0))
    normal = axes[2] if sizes[1] > 1e-9 else up - (up @ axes[0]) * axes[0]
    normal *= np.sign(normal @ up) / np.linalg.norm(normal)
    lowest = at[np.argmin(at @ normal)]
    return tuple(lowest - GAP * normal), tuple(normal)
