"""Names of the files in a result folder (docs/storage.md)."""

MODEL, RESULT, STATE, SYSTEM, SUMMARY = "model.h5", "result.h5", "state.npz", "system.npz", "summary.json"
