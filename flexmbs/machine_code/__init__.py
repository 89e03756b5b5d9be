"""Kernels written in Python, compiled once: what ships with the wheel, how it is loaded, how an entry is called.

A kernel (:mod:`~flexmbs.machine_code.kernel`) is a plain function. An entry (:mod:`~flexmbs.machine_code.entry`) is a
kernel with typed arguments that is compiled on its own into a C function. Python and other kernels call it by its name.
Compiling happens in processes of its own (:mod:`~flexmbs.machine_code.compile_worker`); a user's process loads object
files with llvmlite and imports no numba.
"""
