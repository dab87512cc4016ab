from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.model import Outcome, RunStatus, State
from store.usage import NANO, Totals
from tui.text import cells
from tui.wording import ago, clock, dollars, elapsed, iso, money, short, sign, tokens, word

EVERY = [*State, *Outcome, *RunStatus, None]
SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


@pytest.mark.parametrize("value", EVERY)
def test_a_sign_is_one_cell_in_every_locale(value: State | Outcome | RunStatus | None) -> None:
    shown = sign(value, ascii=False)
    assert len(shown) == cells(shown) == 1
    assert unicodedata.east_asian_width(shown) in ("N", "Na")
    plain = sign(value, ascii=True)
    assert len(plain) == 1
    assert plain.isascii()


@pytest.mark.parametrize("group", [State, Outcome, RunStatus])
@pytest.mark.parametrize("plain", [False, True])
def test_no_two_of_a_kind_share_a_sign(group: type[State], plain: bool) -> None:
    assert len({sign(value, plain) for value in group}) == len(group)


@pytest.mark.parametrize("value", EVERY)
def test_every_state_has_a_word(value: State | None) -> None:
    assert word(value)
    assert "_" not in word(value)


@pytest.mark.parametrize(
    ("totals", "shown"),
    [
        (Totals(), ""),
        (Totals(missing_cost=1), "?"),
        (Totals(cost=1_840_000_000), "$1.84"),
        (Totals(cost=1_840_000_000, missing_cost=2), "$1.84+"),
        (Totals(cost=NANO, estimated=NANO // 2), "$1.50"),
        (Totals(cost=0), "$0.00"),
    ],
)
def test_money_says_what_is_not_known(totals: Totals, shown: str) -> None:
    assert money(totals) == shown


def test_money_of_what_goes_on_is_partial() -> None:
    assert money(Totals(cost=NANO), partial=True) == "$1.00 so far"
    assert money(Totals(), metered=True, partial=True) == "? so far"
    assert money(Totals(), partial=True) == ""


@pytest.mark.parametrize(
    ("nano", "shown"),
    [
        (1, "<$0.01"),
        (NANO // 100, "$0.01"),
        (99_994_999_999, "$99.99"),
        (99_995_000_000, "$100"),
        (1_234 * NANO, "$1,234"),
    ],
)
def test_dollars_have_two_digits_below_a_hundred(nano: int, shown: str) -> None:
    assert dollars(nano) == shown


@given(st.integers(0, 10**15))
def test_shown_dollars_are_never_off_by_more_than_their_last_digit(nano: int) -> None:
    shown = dollars(nano)
    if shown == "<$0.01":
        assert 0 < nano < NANO // 100
    else:
        digit = NANO // 100 if "." in shown else NANO
        assert abs(round(float(shown.strip("$").replace(",", "")) * NANO) - nano) <= digit // 2


@pytest.mark.parametrize(
    ("count", "missing", "shown"),
    [
        (None, 0, "unknown"),
        (None, 3, "unknown"),
        (0, 0, "0"),
        (812, 1, "812+"),
        (1_000, 0, "1.0k"),
        (9_949, 0, "9.9k"),
        (9_950, 0, "10k"),
        (182_400, 0, "182k"),
        (999_499, 0, "999k"),
        (999_500, 0, "1.0M"),
        (1_234_567, 2, "1.2M+"),
    ],
)
def test_tokens(count: int | None, missing: int, shown: str) -> None:
    assert tokens(count, missing) == shown


@pytest.mark.parametrize(
    ("ms", "shown"),
    [
        (-5, "0s"),
        (13 * SECOND + 999, "13s"),
        (17 * MINUTE + 2 * SECOND, "17m02s"),
        (2 * HOUR + 5 * MINUTE + 59 * SECOND, "2h05m"),
        (3 * DAY + 4 * HOUR, "3d04h"),
    ],
)
def test_elapsed(ms: int, shown: str) -> None:
    assert elapsed(ms) == shown


@pytest.mark.parametrize(
    ("since", "shown"),
    [(-HOUR, "just now"), (4_999, "just now"), (41_000, "41s ago"), (3 * MINUTE, "3m ago"), (50 * HOUR, "2d ago")],
)
def test_ago(since: int, shown: str) -> None:
    assert ago(1_000_000_000_000 - since, 1_000_000_000_000) == shown


@pytest.fixture
def new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("new_york")
def test_a_clock_is_local_and_names_the_day_only_when_it_is_another() -> None:
    now = 1_767_243_600_000  # 2026-01-01 00:00 in New York
    assert clock(now + HOUR, now) == "01:00"
    assert clock(now + HOUR, now, seconds=True) == "01:00:00"
    assert clock(now + 31 * DAY, now) == "02-01 00:00"
    assert clock(now - MINUTE, now) == "2025-12-31 23:59"


def test_iso_is_utc_with_milliseconds() -> None:
    assert iso(1_767_225_600_007) == "2026-01-01T00:00:00.007Z"
    assert iso(-1) == "1969-12-31T23:59:59.999Z"


def test_short_is_a_prefix() -> None:
    assert short("0123456789abc") == "01234567"
