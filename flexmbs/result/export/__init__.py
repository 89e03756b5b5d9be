"""Results as files of other programs: tables, VTKHDF, glTF, universal files (docs/exports.md)."""
