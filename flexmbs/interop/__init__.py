"""Exchange: reduced bodies and matrices of other tools, and bodies from plain arrays."""

from flexmbs.interop.arrays import body_from_arrays
from flexmbs.interop.matrices import NodalMatrices, read_abaqus_matrix, read_calculix_matrices
from flexmbs.interop.mbdyn import read_mbdyn_fem, write_mbdyn_fem
from flexmbs.interop.mbdyn_file import MbdynData, read_mbdyn_data, write_mbdyn_data
from flexmbs.interop.moments import InertiaMoments
from flexmbs.interop.npz import read_npz, write_npz
from flexmbs.interop.sid import read_sid, write_sid
from flexmbs.interop.sid_file import SidData, read_sid_data, write_sid_data

__all__ = [
    "InertiaMoments",
    "MbdynData",
    "NodalMatrices",
    "SidData",
    "body_from_arrays",
    "read_abaqus_matrix",
    "read_calculix_matrices",
    "read_mbdyn_data",
    "read_mbdyn_fem",
    "read_npz",
    "read_sid",
    "read_sid_data",
    "write_mbdyn_data",
    "write_mbdyn_fem",
    "write_npz",
    "write_sid",
    "write_sid_data",
]
