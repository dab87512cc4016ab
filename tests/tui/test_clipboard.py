from __future__ import annotations

from base64 import b64decode

import pytest

from tui.clipboard import MOST, TooLong, osc52


def test_the_text_is_in_the_sequence() -> None:
    sequence = osc52("é ✓", in_tmux=False)
    assert sequence.startswith("\x1b]52;c;") and sequence.endswith("\x07")
    assert b64decode(sequence[7:-1]).decode() == "é ✓"


def test_inside_tmux_it_is_also_handed_through() -> None:
    plain = osc52("x", in_tmux=False)
    assert osc52("x", in_tmux=True) == f"{plain}\x1bPtmux;\x1b{plain}\x1b\\"


def test_more_than_terminals_take_is_refused_rather_than_cut() -> None:
    osc52("x" * (MOST // 4 * 3 - 3), in_tmux=False)
    with pytest.raises(TooLong):
        osc52("x" * MOST, in_tmux=False)
