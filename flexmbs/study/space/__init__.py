"""Which parameters a study varies, over which values, and the points at which it runs the case."""
