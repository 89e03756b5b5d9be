"""One thread of linear algebra for many small products, and all of them again afterwards."""

import pytest

from flexmbs.common import blas_threads
from flexmbs.common.blas_threads import all_blas_threads, one_blas_thread


@pytest.fixture
def counts(monkeypatch):
    """Threads of two libraries that stand for those of NumPy and SciPy."""
    current = [4, 3]

    def functions(i):
        return (lambda: current[i], lambda count: current.__setitem__(i, count))

    monkeypatch.setattr(blas_threads, "_libraries", lambda: [functions(0), functions(1)])
    return current


def test_one_thread_inside_all_outside(counts):
    with one_blas_thread():
        assert counts == [1, 1]
        with one_blas_thread():  # nested
            assert counts == [1, 1]
        assert counts == [1, 1]
        with all_blas_threads():
            assert counts == [4, 3]
        assert counts == [1, 1]
    assert counts == [4, 3]


def test_errors_give_the_threads_back(counts):
    with pytest.raises(ValueError), one_blas_thread(), all_blas_threads():
        raise ValueError
    assert counts == [4, 3]


def test_the_libraries_of_the_wheels_obey():
    found = blas_threads._libraries()
    with one_blas_thread():
        assert all(getter() == 1 for getter, _ in found)
