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

__version__: str
