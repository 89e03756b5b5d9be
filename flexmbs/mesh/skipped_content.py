"""The list of what a reader leaves out."""

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
