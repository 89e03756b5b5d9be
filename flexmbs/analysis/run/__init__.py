"""Motion in time: settings, integrator, the run itself, resuming it, and why it failed."""
