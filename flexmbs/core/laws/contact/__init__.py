"""Contact laws: one file each, with the class that users write and its compiled force and energy."""
