"""Results: what a run stores and serves."""

from flexmbs.result.result import Result, State, load
from flexmbs.result.run_folder import RunFolder, taken
from flexmbs.result.saved_state import SavedState, load_state
from flexmbs.result.storage import RunWriter
from flexmbs.result.stored_histories import StoredTrajectory
from flexmbs.result.structure import BodyRecord, ContactPair, JointRecord, MarkerRecord, Structure
from flexmbs.result.trajectory import ContactRecord, Trajectory

__all__ = [
    "BodyRecord",
    "ContactPair",
    "ContactRecord",
    "JointRecord",
    "MarkerRecord",
    "Result",
    "RunFolder",
    "RunWriter",
    "SavedState",
    "State",
    "StoredTrajectory",
    "Structure",
    "Trajectory",
    "load",
    "load_state",
    "taken",
]
