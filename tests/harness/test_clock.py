from __future__ import annotations

from harness.clock import HOLE_S, Clock


def test_what_goes_by_while_it_is_read_is_counted() -> None:
    moments = iter([100.0, 101.0, 104.5, 104.5 + HOLE_S])
    clock = Clock(lambda: next(moments))
    assert [clock(), clock(), clock()] == [1.0, 4.5, 4.5 + HOLE_S]


def test_a_hole_is_charged_to_nobody() -> None:
    moments = iter([0.0, 1.0, 3_600.0, 3_601.0])
    clock = Clock(lambda: next(moments))
    assert [clock(), clock(), clock()] == [1.0, 1.0, 2.0]
