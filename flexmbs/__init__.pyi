"""Public names of flexmbs for type checkers and editors; at run time __init__.py loads each when it is first used."""

from flexmbs.analysis import (
    Description as Description,
)
from flexmbs.analysis import (
    LinearModes as LinearModes,
)
from flexmbs.analysis import (
    Mobility as Mobility,
)
from flexmbs.analysis import (
    Progress as Progress,
)
from flexmbs.analysis import (
    kinematics as kinematics,
)
from flexmbs.analysis import (
    linearize as linearize,
)
from flexmbs.analysis import (
    mobility as mobility,
)
from flexmbs.analysis import (
    simulate as simulate,
)
from flexmbs.analysis import (
    statics as statics,
)
from flexmbs.analysis.run.integrators import (
    BDF as BDF,
)
from flexmbs.analysis.run.integrators import (
    HHT as HHT,
)
from flexmbs.analysis.run.integrators import (
    Explicit as Explicit,
)
from flexmbs.analysis.run.integrators import (
    GeneralisedAlpha as GeneralisedAlpha,
)
from flexmbs.analysis.run.integrators import (
    Newmark as Newmark,
)
from flexmbs.analysis.run.integrators import (
    Radau as Radau,
)
from flexmbs.analysis.system import (
    System as System,
)
from flexmbs.app.case.cases import (
    find_mesh as find_mesh,
)
from flexmbs.app.case.cases import (
    parameter as parameter,
)
from flexmbs.common.errors import (
    BasisWarning as BasisWarning,
)
from flexmbs.common.errors import (
    BodyError as BodyError,
)
from flexmbs.common.errors import (
    BodyWarning as BodyWarning,
)
from flexmbs.common.errors import (
    CacheWarning as CacheWarning,
)
from flexmbs.common.errors import (
    CaseError as CaseError,
)
from flexmbs.common.errors import (
    FlexmbsError as FlexmbsError,
)
from flexmbs.common.errors import (
    FlexmbsWarning as FlexmbsWarning,
)
from flexmbs.common.errors import (
    MechanismError as MechanismError,
)
from flexmbs.common.errors import (
    MechanismWarning as MechanismWarning,
)
from flexmbs.common.errors import (
    MeshError as MeshError,
)
from flexmbs.common.errors import (
    MeshWarning as MeshWarning,
)
from flexmbs.common.errors import (
    ResultFolderError as ResultFolderError,
)
from flexmbs.common.errors import (
    ResultWarning as ResultWarning,
)
from flexmbs.common.errors import (
    SimulationError as SimulationError,
)
from flexmbs.common.stages import (
    Stage as Stage,
)
from flexmbs.common.stages import (
    listening as listening,
)
from flexmbs.common.stages import (
    show_progress as show_progress,
)
from flexmbs.fem import (
    FEModel as FEModel,
)
from flexmbs.fem import (
    assemble as assemble,
)
from flexmbs.interop import (
    InertiaMoments as InertiaMoments,
)
from flexmbs.interop import (
    body_from_arrays as body_from_arrays,
)
from flexmbs.interop import (
    read_abaqus_matrix as read_abaqus_matrix,
)
from flexmbs.interop import (
    read_calculix_matrices as read_calculix_matrices,
)
from flexmbs.interop import (
    read_mbdyn_fem as read_mbdyn_fem,
)
from flexmbs.interop import (
    read_npz as read_npz,
)
from flexmbs.interop import (
    read_sid as read_sid,
)
from flexmbs.interop import (
    write_mbdyn_fem as write_mbdyn_fem,
)
from flexmbs.interop import (
    write_npz as write_npz,
)
from flexmbs.interop import (
    write_sid as write_sid,
)
from flexmbs.mechanism import (
    EulerAngles as EulerAngles,
)
from flexmbs.mechanism import (
    Hertz as Hertz,
)
from flexmbs.mechanism import (
    Marker as Marker,
)
from flexmbs.mechanism import (
    Part as Part,
)
from flexmbs.mechanism import (
    Plane as Plane,
)
from flexmbs.mechanism import (
    Point as Point,
)
from flexmbs.mechanism import (
    PowerLaw as PowerLaw,
)
from flexmbs.mechanism import (
    RigidBody as RigidBody,
)
from flexmbs.mechanism import (
    Rotation as Rotation,
)
from flexmbs.mechanism import (
    Sphere as Sphere,
)
from flexmbs.mechanism import (
    rotation as rotation,
)
from flexmbs.mechanism import (
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
)
from flexmbs.mechanism.time_functions import (
    Polynomial as Polynomial,
)
from flexmbs.mechanism.time_functions import (
    Ramp as Ramp,
)
from flexmbs.mechanism.time_functions import (
    Step as Step,
)
from flexmbs.mechanism.time_functions import (
    Table as Table,
)
from flexmbs.mesh import (
    BeamSection as BeamSection,
)
from flexmbs.mesh import (
    Material as Material,
)
from flexmbs.mesh import (
    Mesh as Mesh,
)
from flexmbs.mesh import (
    box_mesh as box_mesh,
)
from flexmbs.mesh import (
    check_mesh as check_mesh,
)
from flexmbs.mesh import (
    line_mesh as line_mesh,
)
from flexmbs.mesh import (
    read_mesh as read_mesh,
)
from flexmbs.mesh import (
    scaled as scaled,
)
from flexmbs.mesh import (
    section_from_rigidities as section_from_rigidities,
)
from flexmbs.mesh import (
    with_material as with_material,
)
from flexmbs.mesh import (
    with_rectangular_section as with_rectangular_section,
)
from flexmbs.mesh import (
    with_section as with_section,
)
from flexmbs.mesh import (
    with_thickness as with_thickness,
)
from flexmbs.reduction import (
    Advice as Advice,
)
from flexmbs.reduction import (
    ClampedFree as ClampedFree,
)
from flexmbs.reduction import (
    CraigBampton as CraigBampton,
)
from flexmbs.reduction import (
    DampedModes as DampedModes,
)
from flexmbs.reduction import (
    FlexibleBody as FlexibleBody,
)
from flexmbs.reduction import (
    FreeFree as FreeFree,
)
from flexmbs.reduction import (
    Interface as Interface,
)
from flexmbs.reduction import (
    Patch as Patch,
)
from flexmbs.reduction import (
    QuasiStatic as QuasiStatic,
)
from flexmbs.reduction import (
    Rayleigh as Rayleigh,
)
from flexmbs.reduction import (
    SecondOrder as SecondOrder,
)
from flexmbs.reduction import (
    StaticModes as StaticModes,
)
from flexmbs.reduction import (
    load_body as load_body,
)
from flexmbs.reduction import (
    reduce as reduce,
)
from flexmbs.reduction import (
    save_body as save_body,
)
from flexmbs.result import (
    Result as Result,
)
from flexmbs.result import (
    SavedState as SavedState,
)
from flexmbs.result import (
    load as load,
)
from flexmbs.result import (
    load_state as load_state,
)

__version__: str
