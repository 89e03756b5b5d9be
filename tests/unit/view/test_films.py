"""A film that is cut off, as a full disk leaves it, is told from a whole one."""

import numpy as np
import pytest

from flexmbs.view.canvas import open_writer, require_whole_film


def test_film_cut_off_is_refused(tmp_path):
    path = tmp_path / "film.mp4"
    with open_writer(path, 25) as writer:
        for shade in range(0, 250, 25):
            writer.append_data(np.full((64, 64, 3), shade, np.uint8))
    require_whole_film(path)
    whole = path.read_bytes()
    for length in (0, 7, 40, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(OSError, match="No space left"):
            require_whole_film(path)
