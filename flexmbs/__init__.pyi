<<<<<<< HEAD
"""Public names of flexmbs for type checkers and editors; at run time __init__.py loads each when it is first used."""

from flexmbs.analysis import (
    Description as Description,
    LinearModes as LinearModes,
    Mobility as Mobility,
    Progress as Progress,
    kinematics as kinematics,
    linearize as linearize,
    mobility as mobility,
    simulate as simulate,
    statics as statics,
)
from flexmbs.analysis.run.integrators import (
    BDF as BDF,
    HHT as HHT,
    Explicit as Explicit,
    GeneralisedAlpha as GeneralisedAlpha,
    Newmark as Newmark,
    Radau as Radau,
)
from flexmbs.analysis.system import (
    System as System,
)
from flexmbs.app.case.cases import (
    find_mesh as find_mesh,
    parameter as parameter,
)
from flexmbs.common.errors import (
    BasisWarning as BasisWarning,
    BodyError as BodyError,
    BodyWarning as BodyWarning,
    CacheWarning as CacheWarning,
    CaseError as CaseError,
    FlexmbsError as FlexmbsError,
    FlexmbsWarning as FlexmbsWarning,
    MechanismError as MechanismError,
    MechanismWarning as MechanismWarning,
    MeshError as MeshError,
    MeshWarning as MeshWarning,
    ResultFolderError as ResultFolderError,
    ResultWarning as ResultWarning,
    SimulationError as SimulationError,
)
from flexmbs.common.stages import (
    Stage as Stage,
    listening as listening,
    show_progress as show_progress,
)
from flexmbs.fem import (
    FEModel as FEModel,
    assemble as assemble,
)
from flexmbs.interop import (
    InertiaMoments as InertiaMoments,
    body_from_arrays as body_from_arrays,
    read_abaqus_matrix as read_abaqus_matrix,
    read_calculix_matrices as read_calculix_matrices,
    read_mbdyn_fem as read_mbdyn_fem,
    read_npz as read_npz,
    read_sid as read_sid,
    write_mbdyn_fem as write_mbdyn_fem,
    write_npz as write_npz,
    write_sid as write_sid,
)
from flexmbs.mechanism import (
    EulerAngles as EulerAngles,
    Hertz as Hertz,
    Marker as Marker,
    Part as Part,
    Plane as Plane,
    Point as Point,
    PowerLaw as PowerLaw,
    RigidBody as RigidBody,
    Rotation as Rotation,
    Sphere as Sphere,
    rotation as rotation,
    weld as weld,
)
from flexmbs.mechanism.characteristics import (
    Characteristic as Characteristic,
)
from flexmbs.mechanism.geometry.curves import (
    Curve as Curve,
)
from flexmbs.mechanism.geometry.surfaces import (
    Surface as Surface,
)
from flexmbs.mechanism.time_functions import (
    Harmonic as Harmonic,
    Polynomial as Polynomial,
    Ramp as Ramp,
    Step as Step,
    Table as Table,
)
from flexmbs.mesh import (
    BeamSection as BeamSection,
    Material as Material,
    Mesh as Mesh,
    box_mesh as box_mesh,
    check_mesh as check_mesh,
    line_mesh as line_mesh,
    read_mesh as read_mesh,
    scaled as scaled,
    section_from_rigidities as section_from_rigidities,
    with_material as with_material,
    with_rectangular_section as with_rectangular_section,
    with_section as with_section,
    with_thickness as with_thickness,
)
from flexmbs.reduction import (
    Advice as Advice,
    ClampedFree as ClampedFree,
    CraigBampton as CraigBampton,
    DampedModes as DampedModes,
    FlexibleBody as FlexibleBody,
    FreeFree as FreeFree,
    Interface as Interface,
    Patch as Patch,
    QuasiStatic as QuasiStatic,
    Rayleigh as Rayleigh,
    SecondOrder as SecondOrder,
    StaticModes as StaticModes,
    load_body as load_body,
    reduce as reduce,
    save_body as save_body,
)
from flexmbs.result import (
    Result as Result,
    SavedState as SavedState,
    load as load,
    load_state as load_state,
)
=======
"""Public names of flexmbs for type checkers and editors; at run time __init__.py loads them when first used.

Written by tests/unit/test_public_names.py from the table in __init__.py.
"""

# isort: skip_file
from flexmbs.analysis.description.description import Description as Description
from flexmbs.analysis.kinematics import kinematics as kinematics
from flexmbs.analysis.linear.linearize import LinearModes as LinearModes
from flexmbs.analysis.linear.linearize import linearize as linearize
from flexmbs.analysis.mobility.mobility import Mobility as Mobility
from flexmbs.analysis.mobility.mobility import mobility as mobility
from flexmbs.analysis.run.integrators import BDF as BDF
from flexmbs.analysis.run.integrators import Explicit as Explicit
from flexmbs.analysis.run.integrators import GeneralisedAlpha as GeneralisedAlpha
from flexmbs.analysis.run.integrators import HHT as HHT
from flexmbs.analysis.run.integrators import Integrator as Integrator
from flexmbs.analysis.run.integrators import Newmark as Newmark
from flexmbs.analysis.run.integrators import Radau as Radau
from flexmbs.analysis.run.run import Progress as Progress
from flexmbs.analysis.run.simulate import simulate as simulate
from flexmbs.analysis.statics.statics import statics as statics
from flexmbs.analysis.system import System as System
from flexmbs.app.case.bar_mesh import bar_values as bar_values
from flexmbs.app.case.bar_mesh import bar_with as bar_with
from flexmbs.app.case.bar_mesh import centreline_point as centreline_point
from flexmbs.app.case.cases import find_mesh as find_mesh
from flexmbs.app.case.cases import list_cases as list_cases
from flexmbs.app.case.cases import load_case as load_case
from flexmbs.app.case.cases import parameter as parameter
from flexmbs.app.case.cases import run_case as run_case
from flexmbs.app.case.metrics import angle_from_hanging as angle_from_hanging
from flexmbs.app.case.metrics import chord_deflection as chord_deflection
from flexmbs.app.case.metrics import contact_figures as contact_figures
from flexmbs.app.case.metrics import energy_error as energy_error
from flexmbs.common.errors import BasisWarning as BasisWarning
from flexmbs.common.errors import BodyError as BodyError
from flexmbs.common.errors import BodyWarning as BodyWarning
from flexmbs.common.errors import CacheWarning as CacheWarning
from flexmbs.common.errors import CaseError as CaseError
from flexmbs.common.errors import FlexmbsError as FlexmbsError
from flexmbs.common.errors import FlexmbsWarning as FlexmbsWarning
from flexmbs.common.errors import MechanismError as MechanismError
from flexmbs.common.errors import MechanismWarning as MechanismWarning
from flexmbs.common.errors import MeshError as MeshError
from flexmbs.common.errors import MeshWarning as MeshWarning
from flexmbs.common.errors import ResultFolderError as ResultFolderError
from flexmbs.common.errors import ResultWarning as ResultWarning
from flexmbs.common.errors import SimulationError as SimulationError
from flexmbs.common.stages import Stage as Stage
from flexmbs.common.stages import listening as listening
from flexmbs.common.stages import show_progress as show_progress
from flexmbs.core.laws.contact.base import ContactLaw as ContactLaw
from flexmbs.core.laws.contact.power_law import Hertz as Hertz
from flexmbs.core.laws.contact.power_law import PowerLaw as PowerLaw
from flexmbs.fem.assemble import assemble as assemble
from flexmbs.fem.fe_model import FEModel as FEModel
from flexmbs.fem.section_forces import SectionForces as SectionForces
from flexmbs.fem.solvers.factor import SingularMatrix as SingularMatrix
from flexmbs.fem.stress_field import StressField as StressField
from flexmbs.fem.vibration import NaturalModes as NaturalModes
from flexmbs.fem.vibration import natural_modes as natural_modes
from flexmbs.interop.arrays import body_from_arrays as body_from_arrays
from flexmbs.interop.matrices import NodalMatrices as NodalMatrices
from flexmbs.interop.matrices import read_abaqus_matrix as read_abaqus_matrix
from flexmbs.interop.matrices import read_calculix_matrices as read_calculix_matrices
from flexmbs.interop.mbdyn import read_mbdyn_fem as read_mbdyn_fem
from flexmbs.interop.mbdyn import write_mbdyn_fem as write_mbdyn_fem
from flexmbs.interop.moments import InertiaMoments as InertiaMoments
from flexmbs.interop.npz import read_npz as read_npz
from flexmbs.interop.npz import write_npz as write_npz
from flexmbs.interop.sid import read_sid as read_sid
from flexmbs.interop.sid import write_sid as write_sid
from flexmbs.mechanism.body_in_system import BodyInSystem as BodyInSystem
from flexmbs.mechanism.characteristics import Characteristic as Characteristic
from flexmbs.mechanism.composite_body import Part as Part
from flexmbs.mechanism.composite_body import weld as weld
from flexmbs.mechanism.contacts import Contact as Contact
from flexmbs.mechanism.contacts import Plane as Plane
from flexmbs.mechanism.contacts import Point as Point
from flexmbs.mechanism.contacts import Sphere as Sphere
from flexmbs.mechanism.geometry.curves import Curve as Curve
from flexmbs.mechanism.geometry.euler_angles import EulerAngles as EulerAngles
from flexmbs.mechanism.geometry.rotations import Rotation as Rotation
from flexmbs.mechanism.geometry.rotations import rotation as rotation
from flexmbs.mechanism.geometry.surface_mesh import SurfaceMesh as SurfaceMesh
from flexmbs.mechanism.geometry.surfaces import Surface as Surface
from flexmbs.mechanism.joint import Joint as Joint
from flexmbs.mechanism.joints import JOINT_TYPES as JOINT_TYPES
from flexmbs.mechanism.joints.base import Axis as Axis
from flexmbs.mechanism.joints.base import JointType as JointType
from flexmbs.mechanism.markers import Marker as Marker
from flexmbs.mechanism.rigid_body import RigidBody as RigidBody
from flexmbs.mechanism.sensors import Sensor as Sensor
from flexmbs.mechanism.time_functions import Harmonic as Harmonic
from flexmbs.mechanism.time_functions import Polynomial as Polynomial
from flexmbs.mechanism.time_functions import Ramp as Ramp
from flexmbs.mechanism.time_functions import Step as Step
from flexmbs.mechanism.time_functions import Table as Table
from flexmbs.mechanism.time_functions import TimeFunction as TimeFunction
from flexmbs.mesh.coordinate_systems import CoordinateSystem as CoordinateSystem
from flexmbs.mesh.couplings import BoundaryCondition as BoundaryCondition
from flexmbs.mesh.couplings import Coupling as Coupling
from flexmbs.mesh.couplings import Equation as Equation
from flexmbs.mesh.couplings import PointMass as PointMass
from flexmbs.mesh.couplings import Tie as Tie
from flexmbs.mesh.element_properties import BeamSection as BeamSection
from flexmbs.mesh.element_properties import Layer as Layer
from flexmbs.mesh.element_properties import ShellSection as ShellSection
from flexmbs.mesh.element_properties import SpringSection as SpringSection
from flexmbs.mesh.element_properties import TrussSection as TrussSection
from flexmbs.mesh.generate import box_mesh as box_mesh
from flexmbs.mesh.generate import line_mesh as line_mesh
from flexmbs.mesh.mass_properties import MassProperties as MassProperties
from flexmbs.mesh.mass_properties import mass_properties as mass_properties
from flexmbs.mesh.materials import AnisotropicMaterial as AnisotropicMaterial
from flexmbs.mesh.materials import Damping as Damping
from flexmbs.mesh.materials import Material as Material
from flexmbs.mesh.materials import OrthotropicMaterial as OrthotropicMaterial
from flexmbs.mesh.materials import UnusableMaterial as UnusableMaterial
from flexmbs.mesh.mesh import ElementBlock as ElementBlock
from flexmbs.mesh.mesh import Mesh as Mesh
from flexmbs.mesh.mesh import MeshSurface as MeshSurface
from flexmbs.mesh.mesh import OtherElements as OtherElements
from flexmbs.mesh.mesh import Skipped as Skipped
from flexmbs.mesh.node_use import without_unused_nodes as without_unused_nodes
from flexmbs.mesh.operations import bounding_box as bounding_box
from flexmbs.mesh.operations import nodes_of as nodes_of
from flexmbs.mesh.operations import scaled as scaled
from flexmbs.mesh.operations import with_material as with_material
from flexmbs.mesh.operations import with_rectangular_section as with_rectangular_section
from flexmbs.mesh.quality.check_mesh import check_mesh as check_mesh
from flexmbs.mesh.readers.read_mesh import read_mesh as read_mesh
from flexmbs.mesh.sections.assign_sections import with_section as with_section
from flexmbs.mesh.sections.assign_sections import with_thickness as with_thickness
from flexmbs.mesh.sections.beam_sections import circle as circle
from flexmbs.mesh.sections.beam_sections import general_section as general_section
from flexmbs.mesh.sections.beam_sections import pipe as pipe
from flexmbs.mesh.sections.beam_sections import rectangle as rectangle
from flexmbs.mesh.sections.beam_sections import section_from_rigidities as section_from_rigidities
from flexmbs.reduction.basis_advice import Advice as Advice
from flexmbs.reduction.body_store import load_body as load_body
from flexmbs.reduction.body_store import save_body as save_body
from flexmbs.reduction.damping import Rayleigh as Rayleigh
from flexmbs.reduction.flexible_body import FlexibleBody as FlexibleBody
from flexmbs.reduction.high_modes import DampedModes as DampedModes
from flexmbs.reduction.high_modes import QuasiStatic as QuasiStatic
from flexmbs.reduction.interface import Interface as Interface
from flexmbs.reduction.options import ClampedFree as ClampedFree
from flexmbs.reduction.options import CraigBampton as CraigBampton
from flexmbs.reduction.options import FreeFree as FreeFree
from flexmbs.reduction.options import Patch as Patch
from flexmbs.reduction.options import SecondOrder as SecondOrder
from flexmbs.reduction.options import StaticModes as StaticModes
from flexmbs.reduction.reduce import reduce as reduce
from flexmbs.result.result import Result as Result
from flexmbs.result.result import load as load
from flexmbs.result.run_folder import RunFolder as RunFolder
from flexmbs.result.saved_state import SavedState as SavedState
from flexmbs.result.saved_state import load_state as load_state
from flexmbs.result.stress_peak import PeakStress as PeakStress
from flexmbs.result.trajectory import ContactRecord as ContactRecord
from flexmbs.view.opengl import RenderingUnavailable as RenderingUnavailable
>>>>>>> main

__version__: str
