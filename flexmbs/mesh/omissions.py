"""What a reader leaves out of a mesh, and how to add what a file lacks, in the keywords of its format."""

from __future__ import annotations

from flexmbs.mesh.mesh import Mesh, SkippedCard

_LINES_AT_MOST = 10
# What a linear elastic body does without: plasticity, creep, damage, thermal and electrical properties, and what
# mesh generators say of their own meshes. Beginnings of names, without blanks.
_NOT_OF_A_LINEAR_BODY = tuple(
    """
    *ANNEALTEMPERATURE *BRITTLE *CAPHARDENING *CAPPLASTICITY *CASTIRON *CLAY *CONCRETE *CONDUCTIVITY *CREEP
    *CYCLICHARDEN *DAMAGE *DEPVAR *DIFFUSIVITY *DIELECTRIC *DRUCKERPRAGER *ELECTRICALCONDUCTIVITY *EXPANSION *FAILURE
    *FAILSTR *HEATGENERATION *INELASTICHEATFRACTION *JOULEHEATFRACTION *LATENTHEAT *MAGNETICPERMEABILITY
    *MOHRCOULOMB *ORNL *PERMEABILITY *PLASTIC *POTENTIAL *RATEDEPENDENT *SHEARFAILURE *SOLUBILITY *SPECIFICHEAT
    *SPECIFICGASCONSTANT *SWELLING *TENSILEFAILURE *TENSIONSTIFFENING *USEROUTPUTVARIABLES *VISCOELASTIC *VISCOUS
    CREEP MATS1 MATT MAT4 MAT5 MATEP MATVP MATF PELAST PDAMPT CHBDY PLOTEL
    TB,AF TB,BISO TB,BKIN TB,CAST TB,CHAB TB,CREE TB,CTE TB,CZM TB,DP TB,EDP TB,EVISO TB,EXPE TB,FCLI TB,FRIC TB,GURS TB,HILL
    TB,KINH TB,MISO TB,MKIN TB,NLIS TB,PLAS TB,PRON TB,RATE TB,SHIF TB,THER TB,UNIA
    $PERIODIC $PARAMETRIZATIONS $GHOSTELEMENTS
    """.split()
)
# Loads, as their cards begin; of a body they are no part, but whoever reads the file may count on them.
_LOADS = tuple(
    """
    *CLOAD *DLOAD *DSLOAD *TEMPERATURE *BASEMOTION *INERTIALOAD FORCE MOMENT PLOAD GRAV RFORCE ACCEL TEMP SPCD
    """.split()
)
_ANSYS_LOADS = ("F", "FK", "SF", "SFE", "SFBEAM", "SFL", "SFA", "BF", "BFE", "ACEL", "OMEGA", "CMOMEGA", "DOMEGA")
_JOINING = ("connector", "contact")  # roles of elements without a body
_READ_OTHERWISE = ("DCOUP3D",)  # as a coupling


def omissions(mesh: Mesh) -> tuple[str, ...]:
    """One sentence for each thing that a reader left out although it may change the body (joints, connectors, ...)."""
    cards = [
        f"left out: {skipped}"
        for skipped in mesh.skipped
        if not (skipped.analysis or skipped.card.upper().replace(" ", "").startswith(_NOT_OF_A_LINEAR_BODY))
    ]
    told = {skipped.card for skipped in mesh.skipped}
    elements = [
        f"left out: {other.where or mesh.source}: {len(other.ids)} {other.type_name} elements ({other.role}) connect nothing."
        for other in mesh.other_elements
        if other.role in _JOINING and len(other.ids) and not other.type_name.startswith((*told, *_READ_OTHERWISE))
    ]
    return (*cards, *elements)


def left_out_loads(mesh: Mesh) -> tuple[str, ...]:
    """One sentence for each file whose loads a reader left out."""
    found: dict[str, list[SkippedCard]] = {}
    for skipped in mesh.skipped:
        card = skipped.card.upper().replace(" ", "")
        if skipped.analysis and (card.startswith(_LOADS) or card.partition(",")[0] in _ANSYS_LOADS):
            found.setdefault(skipped.file, []).append(skipped)
    return tuple(
        f"{file}: its loads are left out ({_first_lines(cards)}): loads belong in the System." for file, cards in found.items()
    )


def _first_lines(cards: list[SkippedCard]) -> str:
    return ", ".join(f"{card.card}{f' in line {card.lines[0]}' if any(card.lines) else ''}" for card in cards)


class SkipList:
    """Collects what is left out, one entry per card and file, with the first lines."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, bool, str], tuple[list[int], list[int]]] = {}

    def add(self, card: str, file: str, line: int, *, analysis: bool = False, why: str = "") -> None:
        """Note that ``card`` in ``line`` of ``file`` is left out (``analysis``: it belongs to no body anyway)."""
        lines, count = self._found.setdefault((card, file, analysis, why), ([], [0]))
        count[0] += 1
        if len(lines) < _LINES_AT_MOST:
            lines.append(int(line))

    def as_tuple(self) -> tuple[SkippedCard, ...]:
        """The entries in the order in which they were first met."""
        return tuple(
            SkippedCard(card, file, tuple(lines), count[0], analysis, why)
            for (card, file, analysis, why), (lines, count) in self._found.items()
        )


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

    A ``Mesh.file_format`` without such cards leaves the call in Python.
    """
    cards = _CARDS.get(file_format)
    return f"use {_CALLS[what]}" if cards is None else f"add {cards[what]}, or use {_CALLS[what]}"


def missing(elements: str, what: str, file_format: str) -> str:
    """The sentence for elements (where, how many, "has" or "have") that lack something: one wording wherever it is noticed."""
    return f"{elements} no {what}; {what_to_add(what, file_format)}."


def without_density(elements: str, material: str, where: str, file_format: str) -> str:
    """The sentence for elements whose material has no density; ``where`` the file states the material, or empty."""
    stated = f" ({where})" if where else ""
    return f"{elements} the material {material} without density{stated}; {what_to_add('density', file_format)}."
