"""Types of the arrays that entries take (:mod:`flexmbs.machine_code.signature`)."""

from flexmbs.machine_code.signature import Complexes, Complexes2, Floats, Floats2, Floats3, Floats4, Integers, Integers2

__all__ = ["Complexes", "Complexes2", "Floats", "Floats2", "Floats3", "Floats4", "Integers", "Integers2"]
