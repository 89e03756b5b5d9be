"""One thread of linear algebra for many small products, and all of them again afterwards."""

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  so that its library is loaded too
from threadpoolctl import threadpool_info, threadpool_limits

from flexmbs.common.blas_threads import all_blas_threads, one_blas_thread


@pytest.fixture
def counts():
    """How many threads each library uses; two at the start."""
    np.ones((2, 2)) @ np.ones((2, 2))
    with threadpool_limits(2, user_api="blas"):
        yield lambda: {found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"}


def test_one_thread_inside_all_outside(counts):
    assert counts() == {2}
    with one_blas_thread():
        assert counts() == {1}
        with one_blas_thread():  # nested
            assert counts() == {1}
        assert counts() == {1}
        with all_blas_threads():
            assert counts() == {2}
        assert counts() == {1}
    assert counts() == {2}


def test_errors_give_the_threads_back(counts):
    with pytest.raises(ValueError), one_blas_thread(), all_blas_threads():
        raise ValueError
    assert counts() == {2}


def test_a_large_product_alone_changes_nothing(counts):
    with all_blas_threads():
        assert counts() == {2}
