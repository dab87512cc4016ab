"""Short text for states, money, tokens and time: the same words and signs on the screen and in every command."""

from __future__ import annotations

import time

from store.ids import now_ms
from store.model import Outcome, RunState, RunStatus, State
from store.usage import NANO
from tui.text import one_line

TYPE_CHECKING = False  # importing typing would be a tenth of the start-up
if TYPE_CHECKING:
    from store.run import Run
    from store.usage import Totals
    from store.views import RunLine

_SIGNS = {
    State.REFINING: ("\u25ca", "~"),  # ◊
    State.DELEGATED: ("\u25e6", "."),  # ◦
    State.RUNNING: ("\u25b8", ">"),  # ▸
    State.REVIEW: ("\u25b9", ")"),  # ▹
    State.STOPPING: ("\u25ab", "%"),  # ▫
    State.DONE: ("\u2713", "+"),  # ✓
    State.FAILED: ("\u2717", "x"),  # ✗
    State.BLOCKED: ("\u25ac", "="),  # ▬
    State.STOPPED: ("\u25aa", "#"),  # ▪
    State.NOT_STARTED: ("-", "-"),
    Outcome.COMPLETED: ("\u2713", "+"),
    Outcome.WITH_FAILURES: ("!", "!"),
    Outcome.NOT_ACCEPTED: ("\u2717", "x"),
    RunStatus.LIVE: ("\u25b8", ">"),
    RunStatus.PAUSED: ("\u25ae", '"'),  # ▮
    RunStatus.DRAINING: ("\u25be", "v"),  # ▾
    RunStatus.FINISHED: ("\u25ab", "%"),
    RunStatus.UNSETTLED: ("?", "?"),
}
_NEVER_RUN = ("\u25e6", ".")

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def sign(value: State | Outcome | RunStatus | RunState | None, ascii: bool = False) -> str:  # noqa: A002  # the setting's own name
    """The sign of a state, an outcome or a status; of `None`, a workflow that never ran. One cell in every locale."""
    return (_NEVER_RUN if value is None else _SIGNS[value])[ascii]


def word(value: State | Outcome | RunStatus | RunState | None) -> str:
    """The same as a word. Work that was handed over and has not started is 'waiting'."""
    if value is None:
        return "never run"
    return "waiting" if value == State.DELEGATED else value.replace("_", " ")


def money(totals: Totals, *, partial: bool = False, metered: bool = False) -> str:
    """What is known to be spent: '$1.84', '$1.84+' when that is only a part of it, '?' when nothing is known.

    '' when nothing spends money here, unless `metered` says that something does. `partial`: more may come (U2).
    """
    spent = totals.spent
    if spent is None:
        if not totals.missing_cost and not metered:
            return ""
        shown = "?"
    else:
        shown = dollars(spent) + ("+" if totals.missing_cost else "")
    return f"{shown} so far" if partial else shown


def dollars(nano: int) -> str:
    """Nano-dollars as a person writes them: two digits below $100, none above, '<$0.01' for a trace."""
    if 0 < nano < NANO // 100:
        return "<$0.01"
    cents = (nano + NANO // 200) // (NANO // 100)
    if cents < 100_00:
        return f"${cents / 100:.2f}"
    return f"${(nano + NANO // 2) // NANO:,}"


def tokens(count: int | None, missing: int = 0) -> str:
    """A token count: '812', '182k', '1.2M+' when `missing` reports did not say, 'unknown'."""
    if count is None:
        return "unknown"
    return _scaled(count) + ("+" if missing else "")


def _scaled(count: int) -> str:
    if count < 1_000:
        return str(count)
    for unit, letter in ((1_000, "k"), (1_000_000, "M"), (1_000_000_000, "G")):
        tenths = (count * 10 + unit // 2) // unit
        if tenths < 100:
            return f"{tenths // 10}.{tenths % 10}{letter}"
        if (count + unit // 2) // unit < 1_000 or letter == "G":
            return f"{(count + unit // 2) // unit}{letter}"
    raise AssertionError("unreachable: the last unit takes everything")


def elapsed(ms: int) -> str:
    """A length of time in its two largest units: '13s', '17m02s', '2h05m', '3d04h'."""
    seconds = max(0, ms // 1000)
    if seconds < _MINUTE:
        return f"{seconds}s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE}m{seconds % _MINUTE:02}s"
    if seconds < _DAY:
        return f"{seconds // _HOUR}h{seconds % _HOUR // _MINUTE:02}m"
    return f"{seconds // _DAY}d{seconds % _DAY // _HOUR:02}h"


def ago(then: int, now: int) -> str:
    """How long before `now` (ms) something was, in one unit: 'just now', '3m ago', '5d ago'."""
    seconds = (now - then) // 1000
    if seconds < 5:
        return "just now"
    if seconds < _MINUTE:
        return f"{seconds}s ago"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE}m ago"
    if seconds < _DAY:
        return f"{seconds // _HOUR}h ago"
    return f"{seconds // _DAY}d ago"


def clock(ms: int, now: int | None = None, *, seconds: bool = False) -> str:
    """A moment in local time, as short as it is clear: '04:12', '12-01 04:12', '2024-12-01 04:12'."""
    moment, today = time.localtime(ms / 1000), time.localtime((now_ms() if now is None else now) / 1000)
    day = ""
    if moment.tm_year != today.tm_year:
        day = "%Y-%m-%d "
    elif moment.tm_yday != today.tm_yday:
        day = "%m-%d "
    return time.strftime(day + ("%H:%M:%S" if seconds else "%H:%M"), moment)


def iso(ms: int) -> str:
    """A moment for machines: '2026-01-01T00:00:00.000Z'."""
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(ms // 1000))}.{ms % 1000:03}Z"


def short(run_id: str) -> str:
    """The part of a run's id that is shown and that commands take."""
    return run_id[:8]


def outcome_sentence(run: Run | RunLine) -> str:
    """How the run ended and why, or that it has not: 'not accepted: review rejected it'."""
    if run.outcome is None:
        return f"live since {clock(run.started_at)}, wave {run.wave + 1}"
    if not run.why:
        return str(run.outcome)
    why = one_line(run.why)
    return why if why.startswith(run.outcome) else f"{run.outcome}: {why}"


def counted(number: int, noun: str) -> str:
    """'1 turn', '2 turns'."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
