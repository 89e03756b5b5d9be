"""The benchmark systems in Exudyn (``pip install .[peers]``), with the settings that serve it best."""
