"""flexmbs: machines whose parts bend.

mesh -> fem -> reduction -> mechanism -> model -> analysis -> result -> view; each arrow is one public function.
"""

from __future__ import annotations

from flexmbs.common.lazy_import import load as _load

__version__ = "0.1.0"

# Every public name has one import path, here; its module is imported when the name is first used, so that
# `import flexmbs` and the command line start at once. The same names for type checkers: __init__.pyi, written by
# `python tests/unit/test_public_names.py`.
_WHERE = {
    "flexmbs.common.errors": (
        "FlexmbsError",
        "MeshError",
        "BodyError",
        "MechanismError",
        "CaseError",
        "SimulationError",
        "ResultFolderError",
        "StudyError",
        "UnknownHistoryError",
        "FlexmbsWarning",
        "MeshWarning",
        "BodyWarning",
        "BasisWarning",
        "MechanismWarning",
        "ResultWarning",
        "CaseWarning",
        "StudyWarning",
        "CacheWarning",
    ),
    "flexmbs.common.progress": ("on_progress", "show_progress", "Stage", "Progress"),
    "flexmbs.mesh.mesh": (
        "Mesh",
        "ElementBlock",
        "UnsupportedElements",
        "MeshSurface",
        "SkippedCard",
        "BoundaryCondition",
        "Coupling",
        "Equation",
        "PointMass",
        "Tie",
    ),
    "flexmbs.mesh.properties": (
        "Material",
        "OrthotropicMaterial",
        "AnisotropicMaterial",
        "UnusableMaterial",
        "Damping",
        "BeamSection",
        "ShellSection",
        "Layer",
        "TrussSection",
        "SpringSection",
    ),
    "flexmbs.mesh.coordinate_systems": ("CoordinateSystem",),
    "flexmbs.mesh.read_mesh": ("read_mesh",),
    "flexmbs.mesh.generate": ("line_mesh", "box_mesh", "ring_mesh", "spur_gear_mesh", "GearDivisions"),
    "flexmbs.mesh.operations": (
        "nodes_of",
        "scaled",
        "with_material",
        "with_thickness",
        "with_section",
        "with_rectangular_section",
    ),
    "flexmbs.mesh.connectivity": ("bounding_box", "without_unused_nodes"),
    "flexmbs.mesh.sections.beam_sections": ("rectangle", "circle", "pipe", "general_section", "section_from_rigidities"),
    "flexmbs.mesh.mass_properties": ("mass_properties", "MassProperties"),
    "flexmbs.mesh.check_mesh": ("check_mesh",),
    "flexmbs.fem.assemble": ("assemble",),
    "flexmbs.fem.fe_model": ("FEModel",),
    "flexmbs.fem.supports": ("held_components",),
    "flexmbs.fem.vibration": ("natural_modes", "NaturalModes"),
    "flexmbs.fem.stress_field": ("StressField",),
    "flexmbs.fem.section_forces": ("SectionForces",),
    "flexmbs.fem.solvers.factor": ("SingularMatrix",),
    "flexmbs.reduction.reduce": ("reduce",),
    "flexmbs.reduction.interface": ("Interface",),
    "flexmbs.reduction.options": ("ClampedFree", "CraigBampton", "FreeFree", "StaticModes", "Patch", "ContactPatch", "SecondOrder"),
    "flexmbs.reduction.damping": ("Rayleigh", "DampingByFrequency"),
    "flexmbs.mechanism.high_modes": ("QuasiStatic", "DampedModes"),
    "flexmbs.reduction.body_store": ("save_body", "load_body"),
    "flexmbs.reduction.flexible_body": ("FlexibleBody",),
    "flexmbs.reduction.advice": ("Advice", "HitAdvice"),
    "flexmbs.interop.arrays": ("body_from_arrays",),
    "flexmbs.interop.universal_file": ("write_uff",),
    "flexmbs.interop.uniform_beam": ("uniform_beam",),
    "flexmbs.interop.moments": ("InertiaMoments",),
    "flexmbs.interop.sid": ("read_sid", "write_sid"),
    "flexmbs.interop.mbdyn": ("read_mbdyn_fem", "write_mbdyn_fem"),
    "flexmbs.interop.npz": ("read_npz", "write_npz"),
    "flexmbs.interop.matrices": ("read_calculix_matrices", "read_abaqus_matrix", "NodalMatrices"),
    "flexmbs.core.laws.contact.anagnostopoulos": ("Anagnostopoulos",),
    "flexmbs.core.laws.contact.contact_law": ("ContactLaw",),
    "flexmbs.core.laws.contact.elastic_plastic": ("ElasticPlastic",),
    "flexmbs.core.laws.contact.flores": ("Flores",),
    "flexmbs.core.laws.contact.gonthier": ("Gonthier",),
    "flexmbs.core.laws.contact.hertz_line": ("HertzLine",),
    "flexmbs.core.laws.contact.hunt_crossley": ("HuntCrossley",),
    "flexmbs.core.laws.contact.lankarani_nikravesh": ("LankaraniNikravesh",),
    "flexmbs.core.laws.contact.elastic_foundation": ("ElasticFoundation",),
    "flexmbs.core.laws.contact.linear_contact": ("LinearContact",),
    "flexmbs.core.laws.contact.power_law": ("Hertz", "PowerLaw"),
    "flexmbs.core.laws.contact.rigid": ("Rigid",),
    "flexmbs.core.laws.force.force_law": ("ForceLaw",),
    "flexmbs.core.laws.force.quadratic_damping": ("QuadraticDamping",),
    "flexmbs.core.laws.friction.friction_law": ("ContactFriction",),
    "flexmbs.core.laws.friction.coulomb": ("Coulomb",),
    "flexmbs.core.laws.friction.dry_friction": ("DryFriction",),
    "flexmbs.core.laws.friction.lugre": ("LuGre",),
    "flexmbs.core.laws.friction.stribeck": ("Stribeck",),
    "flexmbs.core.laws.friction.threlfall": ("Threlfall",),
    "flexmbs.core.methods.integrator": ("Integrator",),
    "flexmbs.core.methods.radau": ("Radau",),
    "flexmbs.core.methods.generalised_alpha": ("GeneralisedAlpha", "HHT", "Newmark"),
    "flexmbs.core.methods.moreau": ("Moreau",),
    "flexmbs.core.methods.bdf": ("BDF",),
    "flexmbs.core.methods.explicit": ("Explicit",),
    "flexmbs.mechanism.rigid_body": ("RigidBody",),
    "flexmbs.mechanism.clearance.bore_profile": ("BoreProfile",),
    "flexmbs.mechanism.clearance.clearance": ("Clearance", "JournalFilm"),
    "flexmbs.mechanism.composite_body": ("Part", "weld"),
    "flexmbs.mechanism.body_in_system": ("BodyInSystem",),
    "flexmbs.mechanism.markers": ("Marker",),
    "flexmbs.mechanism.geometry.rotations": ("Rotation", "rotation"),
    "flexmbs.mechanism.geometry.euler_angles": ("EulerAngles",),
    "flexmbs.mechanism.geometry.curves": ("Curve",),
    "flexmbs.mechanism.geometry.surfaces": ("Surface",),
    "flexmbs.mechanism.geometry.surface_mesh": ("SurfaceMesh",),
    "flexmbs.mechanism.joint": ("Joint",),
    "flexmbs.mechanism.joints": ("JOINT_TYPES",),
    "flexmbs.mechanism.joint_type": ("Axis", "JointType"),
    "flexmbs.mechanism.contact.contact": ("Contact",),
    "flexmbs.mechanism.contact.shapes": ("Sphere", "Point", "Plane"),
    "flexmbs.mechanism.contact.capsule": ("Capsule",),
    "flexmbs.mechanism.contact.cylinder": ("Cylinder",),
    "flexmbs.mechanism.contact.box": ("Box",),
    "flexmbs.mechanism.contact.torus": ("Torus", "Bore", "Cavity"),
    "flexmbs.mechanism.contact.finite_planes": ("Rectangle", "Disc"),
    "flexmbs.mechanism.contact.surface": ("RigidSurface",),
    "flexmbs.mechanism.contact.body_surface": ("BodySurface",),
    "flexmbs.analysis.evaluation.contact_pressure": ("contact_pressure", "ContactPressure"),
    "flexmbs.mechanism.sensors": ("Sensor", "Crossing", "Variable"),
    "flexmbs.mechanism.events": ("AtTime", "Lock", "Free", "Set", "Restart", "Stop", "Arm", "Disarm", "Event"),
    "flexmbs.mechanism.latches": ("Latch",),
    "flexmbs.mechanism.characteristics": ("Characteristic",),
    "flexmbs.mechanism.time_functions": ("Step", "Ramp", "Harmonic", "Table", "Polynomial", "TimeFunction"),
    "flexmbs.analysis.system": ("System",),
    "flexmbs.analysis.run.simulate": ("simulate",),
    "flexmbs.analysis.kinematics": ("kinematics",),
    "flexmbs.analysis.statics.statics": ("statics",),
    "flexmbs.analysis.linear.machine_modes": ("MachineModes",),
    "flexmbs.analysis.linear.linearize": ("linearize", "LinearModes"),
    "flexmbs.analysis.mobility.mobility": ("mobility", "Mobility"),
    "flexmbs.analysis.description.description": ("Description",),
    "flexmbs.result.result": ("Result", "load"),
    "flexmbs.result.comparison.compare": ("compare", "Comparison"),
    "flexmbs.result.spectrum": ("Spectrum", "SpectrumPeak"),
    "flexmbs.result.result_folder": ("ResultFolder",),
    "flexmbs.result.saved_state": ("SavedState", "load_state"),
    "flexmbs.result.stress_peak": ("PeakStress",),
    "flexmbs.result.stress_envelope": ("StressEnvelope",),
    "flexmbs.result.stress_histories": ("StressHistory",),
    "flexmbs.result.export.gltf": ("GltfReport",),
    "flexmbs.result.event_records": ("EventRecord",),
    "flexmbs.result.trajectory": ("ContactRecord",),
    "flexmbs.view.plot_planes": ("SpaceTimeMap",),
    "flexmbs.view.opengl": ("RenderingUnavailable",),
    "flexmbs.view.page.part_records": ("PageAccuracy",),
    "flexmbs.case.cases": ("parameter", "find_mesh", "list_cases", "load_case", "run_case"),
    "flexmbs.case.parameter_file": ("with_parameter_file",),
    "flexmbs.case.momenta": ("momenta",),
    "flexmbs.case.metrics": (
        "CONTACT_UNITS",
        "contact_figures",
        "energy_balance",
        "energy_error",
        "angle_from_hanging",
        "chord_deflection",
    ),
    "flexmbs.case.bar_mesh": ("bar_values", "bar_with", "centreline_point"),
    "flexmbs.study.entries": ("Range", "Choices", "RunSeeds", "Distribution", "Normal", "LogNormal", "Triangular", "Weibull"),
    "flexmbs.study.space": ("Space", "Points"),
    "flexmbs.study.samplers": ("LatinHypercube", "Sobol", "Halton", "RandomSample", "Grid", "SobolIndices", "Morris"),
    "flexmbs.study.point_list": ("PointList",),
    "flexmbs.study.study": ("Study",),
    "flexmbs.study.run_tasks": ("RunLimits",),
    "flexmbs.study.study_outcome": ("StudyOutcome", "StudyInterrupted"),
    "flexmbs.study.run_record": ("RunRecord", "RunFailure"),
    "flexmbs.study.store": ("StudyStatus",),
}
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names}

# Former public names, until 0.2.
_FORMER = {
    "Map": "SpaceTimeMap",
    "Peak": "SpectrumPeak",
    "RunFolder": "ResultFolder",
    "Skipped": "SkippedCard",
    "OtherElements": "UnsupportedElements",
}

# Names that are gone -> what does instead.
_GONE = {
    "StudyTable": "study.table() is a pandas DataFrame (docs/study_evaluation.md)",
    "StudyProgress": "progress= of studies gets a StudyOutcome (docs/studies.md)",
}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str):
    if name in _FORMER:
        from warnings import warn

        warn(f"flexmbs.{name} is now called flexmbs.{_FORMER[name]}; the former name goes in 0.2", DeprecationWarning, stacklevel=2)
        globals()[name] = globals().get(_FORMER[name]) or __getattr__(_FORMER[name])  # to warn once
        return globals()[name]
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'flexmbs' has no attribute {name!r}{f': {_GONE[name]}' if name in _GONE else ''}")
    value = _load(f"{_MODULE_OF[name]}:{name}")
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *__all__])
