"""The methods of integration, by name.

A new method is a file that ends in its ``METHOD`` (core.methods.method_interface), and a line here.
"""

from __future__ import annotations

from flexmbs.core.methods import bdf, explicit, generalised_alpha, radau

METHODS = {method.name: method for method in (radau.METHOD, generalised_alpha.METHOD, bdf.METHOD, explicit.METHOD)}
