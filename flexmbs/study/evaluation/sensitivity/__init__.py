"""Which parameters a figure depends on: Sobol indices, Morris' elementary effects, regression, given-data indices."""
