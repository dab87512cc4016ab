"""Arguments that several commands share."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError

TYPE_CHECKING = False  # importing typing would be a tenth of the start-up
if TYPE_CHECKING:
    from collections.abc import Collection

    from store.model import Outcome

RUN = "an id, a unique beginning of one, or @ for the newest"


def describe(parser: ArgumentParser, what: str, *examples: str) -> None:
    """Gives the command's help its first sentence and its examples."""
    parser.description = what
    parser.epilog = "\n".join(["for example:", *(f"  {example}" for example in examples)])


def name(text: str) -> str:
    """The name of an agent or a workflow in the one spelling that is recorded (NFC), however it was typed."""
    from harness.names import normal_name

    return normal_name(text)


def count(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdecimal() or not 0 < int(text) < 1 << 31:
        raise ArgumentTypeError(f"'{text[:40]}' is not a whole number from 1 on")
    return int(text)


def outcome(text: str) -> Outcome:
    """An outcome, its words joined by blanks, '-' or '_'."""
    from store.model import Outcome

    wanted = text.strip().lower().replace("-", " ").replace("_", " ")
    return Outcome(_one_of(text, wanted, list(Outcome)))


def _one_of(text: str, wanted: str, names: Collection[str]) -> str:
    if wanted in names:
        return wanted
    from harness.nearest import quoted, suggestion

    raise ArgumentTypeError(f"{quoted(text)} is no outcome; {suggestion(wanted, names)}")


def moment(text: str) -> int:
    """A moment in ms: an ISO 8601 date or time, local unless it says otherwise, or how long ago ('7d', '24h')."""
    from datetime import datetime

    from harness.duration import parse_duration
    from store.ids import now_ms

    try:
        return int(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        pass
    try:
        return now_ms() - int(parse_duration(text) * 1000)
    except ValueError:
        raise ArgumentTypeError(f"'{text[:40]}' is neither a date (2026-01-31) nor a time ago (7d, 24h)") from None


def usd(text: str) -> int:
    """An amount of money in nano-dollars: '2.50', '$2.50'."""
    from decimal import Decimal, InvalidOperation

    from store.usage import NANO

    try:
        amount = Decimal(text.strip().removeprefix("$"))
    except InvalidOperation:
        amount = Decimal(-1)
    if not amount.is_finite() or not 0 <= amount < 10**9:
        raise ArgumentTypeError(f"'{text[:40]}' is no amount of dollars (2.50)")
    return int(amount * NANO)
