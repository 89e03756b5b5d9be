"""What the runs of a study say: tables, plots, sensitivities, reliability, the report."""
