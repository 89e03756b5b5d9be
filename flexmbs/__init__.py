"""flexmbs: machines whose parts bend.

mesh -> fem -> reduction -> system -> model -> integrate -> result -> view; each arrow is one public function.
"""

from __future__ import annotations

import importlib

__version__ = "0.1.0"

# Every public name has one import path, here; modules are imported when a name is first used, so that
# `import flexmbs` and the command line start at once.
_WHERE = {
    "flexmbs.common.errors": (
        "FlexmbsError", "MeshError", "BodyError", "MechanismError", "CaseError", "SimulationError",
        "FlexmbsWarning", "MeshWarning", "BodyWarning", "BasisWarning", "MechanismWarning", "ResultWarning",
        "CacheWarning", "ResultFolderError",
    ),
    "flexmbs.mesh": (
        "read_mesh", "Mesh", "Material", "BeamSection", "line_mesh", "box_mesh", "scaled", "with_material",
        "with_rectangular_section", "with_thickness", "with_section", "section_from_rigidities", "check_mesh",
    ),
    "flexmbs.fem": ("assemble", "FEModel"),
    "flexmbs.reduction": (
        "reduce", "Interface", "ClampedFree", "CraigBampton", "FreeFree", "StaticModes", "Patch", "SecondOrder",
        "Rayleigh", "QuasiStatic", "DampedModes", "save_body", "load_body", "FlexibleBody", "Advice",
    ),
    "flexmbs.interop": (
        "body_from_arrays", "InertiaMoments", "read_sid", "write_sid", "read_mbdyn_fem", "write_mbdyn_fem", "read_npz",
        "write_npz", "read_calculix_matrices", "read_abaqus_matrix",
    ),
    "flexmbs.mechanism": (
        "RigidBody", "Marker", "Sphere", "Point", "Plane", "Hertz", "PowerLaw", "EulerAngles", "Rotation",
        "rotation", "Part", "weld",
    ),
    "flexmbs.mechanism.characteristics": ("Characteristic",),
    "flexmbs.mechanism.geometry.curves": ("Curve",),
    "flexmbs.mechanism.geometry.surfaces": ("Surface",),
    "flexmbs.analysis": (
        "simulate", "kinematics", "statics", "linearize", "mobility", "LinearModes", "Mobility", "Description",
        "Progress",
    ),
    "flexmbs.analysis.system": ("System",),
    "flexmbs.mechanism.time_functions": ("Step", "Ramp", "Harmonic", "Table", "Polynomial"),
    "flexmbs.analysis.run.integrators": ("Radau", "GeneralisedAlpha", "HHT", "Newmark", "BDF", "Explicit"),
    "flexmbs.result": ("Result", "load", "SavedState", "load_state"),
    "flexmbs.app.case.cases": ("parameter", "find_mesh"),
    "flexmbs.common.stages": ("listening", "show_progress", "Stage"),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str):
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'flexmbs' has no attribute {name!r}")
    value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *__all__])
