"""How much memory may be taken."""

import numpy as np
import pytest
from fem_meshes import straight_beam
from scipy import sparse

from flexmbs import BodyError, assemble
from flexmbs.fem import vibration
from flexmbs.fem.solvers import factorisations, memory
from flexmbs.fem.solvers.memory import available_memory, require_memory, text_of_size


def test_the_system_tells(monkeypatch):
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    available = available_memory()
    assert available is None or 1e6 < available < 1e15


def test_the_least_counts(monkeypatch):
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    monkeypatch.setattr(memory, "_of_system", lambda: 8e9)
    monkeypatch.setattr(memory, "_of_control_group", lambda: 3e9)
    monkeypatch.setattr(memory, "_of_process", lambda: None)
    assert available_memory() == 3e9
    require_memory(2.9e9, "a small thing", "")
    with pytest.raises(BodyError, match=r"^a large thing: about 3\.1 GB of memory is needed, but only 3 GB is available\. Do"):
        require_memory(3.1e9, "a large thing", "Do less.")


def test_nothing_is_refused_where_nothing_is_known(monkeypatch):
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    for source in ("_of_system", "_of_control_group", "_of_process"):
        monkeypatch.setattr(memory, source, lambda: None)
    require_memory(1e18, "anything", "")


def test_the_environment_states_it(monkeypatch):
    monkeypatch.setenv(memory.VARIABLE, "1.5")
    assert available_memory() == 1.5e9
    monkeypatch.setenv(memory.VARIABLE, "8 GB")
    with pytest.raises(BodyError, match="FLEXMBS_MEMORY_GB=8 GB: give a number of gigabytes"):
        available_memory()


@pytest.mark.parametrize("version", [2, 1])
def test_a_container_has_its_own_limit(version, tmp_path, monkeypatch):
    """Files that the kernel keeps in memory count as used but can be given back."""
    monkeypatch.setattr(memory, "_CGROUPS", tmp_path)
    folder = tmp_path if version == 2 else tmp_path / "memory"
    folder.mkdir(exist_ok=True)
    names = {2: ("memory.max", "memory.current"), 1: ("memory.limit_in_bytes", "memory.usage_in_bytes")}
    limit, used = names[version]
    (folder / limit).write_text("4000000000\n")
    (folder / used).write_text("1500000000\n")
    (folder / "memory.stat").write_text("anon 1000\ninactive_file 500000000\ntotal_inactive_file 500000000\n")
    assert memory._of_control_group() == 3e9
    if version == 2:
        (folder / limit).write_text("max\n")
        assert memory._of_control_group() is None


def test_sizes_for_people():
    assert [text_of_size(size) for size in (2.13e9, 1.76e8, 2.5e4)] == ["2.1 GB", "176 MB", "0.025 MB"]


def test_an_array_that_does_not_fit_is_no_traceback(monkeypatch):
    model = assemble(straight_beam(3))
    monkeypatch.setattr(vibration, "_lowest_modes", lambda *_: np.zeros((1 << 50, 8)))
    with pytest.raises(BodyError, match="computing the modes: out of memory .*Unable to allocate.* coarser mesh"):
        vibration.natural_modes(model, np.zeros(model.ndof, bool))


@pytest.mark.parametrize("kind", [SystemError, MemoryError])
def test_a_factor_that_does_not_fit_names_what_would_help(kind, monkeypatch):
    """SuperLU ends in a SystemError where it gets less memory than it asks for."""

    def splu(*_given, **_options):
        raise kind("gstrf was called with invalid arguments")

    monkeypatch.setattr(factorisations, "splu", splu)
    with pytest.raises(BodyError, match=r'factorising 120 unknowns with SciPy: out of memory; about .* "flexmbs\[fast\]"'):
        factorisations.SuperLUFactor(sparse.identity(120, format="csr"))
