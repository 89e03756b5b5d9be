"""The integrators, by name.

A new one is a file with its kernels, its ``METHOD`` (core.methods.method_interface) and its class
(core.methods.integrator), and a line here.
"""

from flexmbs.core.methods.bdf import BDF
from flexmbs.core.methods.explicit import Explicit
from flexmbs.core.methods.generalised_alpha import GeneralisedAlpha
from flexmbs.core.methods.radau import Radau

INTEGRATORS = {integrator.method.name: integrator for integrator in (Radau, GeneralisedAlpha, BDF, Explicit)}
METHODS = {name: integrator.method for name, integrator in INTEGRATORS.items()}
