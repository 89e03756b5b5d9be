"""How to add missing data to a file, in the keywords of its format."""

from __future__ import annotations

_CARDS = {
    "Abaqus/CalculiX": {
        "density": "*DENSITY (after *MATERIAL)",
        "material": "*SOLID SECTION, *SHELL SECTION or *BEAM SECTION with MATERIAL=, and *MATERIAL with *ELASTIC and *DENSITY",
        "beam section": "*BEAM SECTION",
        "shell thickness": "*SHELL SECTION with the thickness",
        "truss area": "*SOLID SECTION with the area",
    },
    "Nastran": {
        "density": "RHO on its MAT card",
        "material": "MID on the property card, and a MAT1",
        "beam section": "PBAR, PBARL, PBEAM or PBEAML",
        "shell thickness": "PSHELL with T",
        "truss area": "PROD with A",
    },
    "Ansys": {
        "density": "MP,DENS",
        "material": "MP,EX, MP,PRXY and MP,DENS",
        "beam section": "SECTYPE,,BEAM with SECDATA",
        "shell thickness": "SECTYPE,,SHELL with SECDATA",
        "truss area": "R or SECDATA with the area",
    },
}
_CALLS = {
    "density": "with_material(mesh, density=) (kg/m3)",
    "material": "with_material(mesh, youngs_modulus=, poisson_ratio=, density=), on the command line"
    " --material E,NU,RHO (Pa, -, kg/m3)",
    "beam section": "with_rectangular_section(mesh, width_y=, width_z=) or with_section(mesh, 'circle:RADIUS') (m), on"
    " the command line --section rect:WIDTH_Y,WIDTH_Z",
    "shell thickness": "with_thickness(mesh, T) (m), on the command line --thickness T",
    "truss area": "with_section(mesh, 'area:A') (m2), on the command line --section area:A",
}


def what_to_add(what: str, file_format: str) -> str:
    """How to state what is missing ("density", "material", "beam section", "shell thickness", "truss area").

    Parameters
    ----------
    file_format : str
        ``Mesh.file_format``; a format without such cards leaves the call in Python.
    """
    cards = _CARDS.get(file_format)
    return f"use {_CALLS[what]}" if cards is None else f"add {cards[what]}, or use {_CALLS[what]}"


def missing(elements: str, what: str, file_format: str) -> str:
    """The sentence for elements that lack something, and how to add it: one wording wherever it is noticed.

    Parameters
    ----------
    elements : str
        Where they are, how many, and "has" or "have".
    what, file_format : as in ``what_to_add``
    """
    return f"{elements} no {what}; {what_to_add(what, file_format)}."


def without_density(elements: str, material: str, where: str, file_format: str) -> str:
    """The sentence for elements whose material has no density; ``where`` the file states the material, or empty."""
    stated = f" ({where})" if where else ""
    return f"{elements} the material {material} without density{stated}; {what_to_add('density', file_format)}."
