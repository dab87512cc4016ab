"""Dead letters: what no consumer would take, and what was refused because it did not apply (E6, E7).

Nothing in here deletes: a letter that was tried again or dropped only changes its state. It leaves with its run.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from store.database import write
from store.errors import AmbiguousLetter, LetterNotFound, LetterStays


class Kind(StrEnum):
    """What made it a dead letter."""

    REFUSED = "refused"  # the event did not apply from how things stood
    UNDELIVERED = "undelivered"  # a consumer failed at it every time


class LetterState(StrEnum):
    """What a person made of it."""

    OPEN = "open"
    RETRIED = "retried"
    DROPPED = "dropped"


@dataclass(frozen=True, kw_only=True, slots=True)
class Letter:
    """One dead letter. `at` (ms) is when it became one; `event` is the number of what `consumer` would not take."""

    id: str
    at: int
    kind: Kind
    consumer: str | None
    event: int | None
    run: str | None
    agent: str | None
    type: str
    data: dict[str, Any]
    why: str
    state: LetterState


_COLUMNS = "id, at, kind, consumer, event, run, agent, type, data, why, state"


def _letter(row: tuple[Any, ...]) -> Letter:
    return Letter(
        id=row[0],
        at=row[1],
        kind=Kind(row[2]),
        consumer=row[3],
        event=row[4],
        run=row[5],
        agent=row[6],
        type=row[7],
        data=json.loads(row[8]),
        why=row[9],
        state=LetterState(row[10]),
    )


def open_letters(connection: sqlite3.Connection, *, limit: int = 1_000) -> list[Letter]:
    """Those that wait for a person, newest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM dead_letters WHERE state='open' ORDER BY at DESC, seq DESC LIMIT ?", (limit,)
    )
    return [_letter(row) for row in rows]


def find_letter(connection: sqlite3.Connection, reference: str) -> Letter:
    """The letter with that id or unique prefix of one. Raises `LetterNotFound` or `AmbiguousLetter`."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM dead_letters WHERE id >= ? AND id < ?", (reference, reference + "\U0010ffff")
    ).fetchall()
    rows = [row for row in rows if row[0] == reference] or rows
    if not rows or not reference:
        raise LetterNotFound(reference)
    if len(rows) > 1:
        raise AmbiguousLetter(reference, len(rows))
    return _letter(rows[0])


def retry(connection: sqlite3.Connection, letter: str) -> Letter:
    """The letter (by whole id) after it was put back: on its way to its consumer, or applied to the record.

    Twice is once. Raises `LetterStays` when it was dropped, when its run is live or not kept any more, or when the
    event still does not apply; then the letter is as it was.
    """
    found = find_letter(connection, letter)
    if found.state is LetterState.DROPPED:
        raise LetterStays(f"the letter {found.id} was dropped")
    if found.state is LetterState.OPEN:
        if found.kind is Kind.UNDELIVERED:
            _send_again(connection, found)
        else:
            _apply_again(connection, found)
    return find_letter(connection, found.id)


def drop(connection: sqlite3.Connection, letter: str) -> Letter:
    """The letter (by whole id) after it was put away. Twice is once; raises `LetterStays` when it was tried again."""
    with write(connection):
        found = find_letter(connection, letter)
        if found.state is LetterState.RETRIED:
            raise LetterStays(f"the letter {found.id} was tried again and has not come back")
        _set_state(connection, found, LetterState.DROPPED)
    return find_letter(connection, found.id)


CHANGES: Mapping[str, Callable[[sqlite3.Connection, str], Letter]] = {"retry": retry, "drop": drop}
"""By the verb of a request, what a person can do to a letter."""


def _send_again(connection: sqlite3.Connection, letter: Letter) -> None:
    with write(connection):
        if connection.execute("SELECT 1 FROM events WHERE seq=?", (letter.event,)).fetchone() is None:
            raise LetterStays(f"the event of letter {letter.id} is not kept any more")
        connection.execute(
            "INSERT INTO outbox(consumer, seq) VALUES(?, ?) ON CONFLICT DO NOTHING", (letter.consumer, letter.event)
        )
        _set_state(connection, letter, LetterState.RETRIED)


def _apply_again(connection: sqlite3.Connection, letter: Letter) -> None:
    """Recording is idempotent by the event's id, so the letter's state may follow in a transaction of its own."""
    from store.encoding import decode  # with the events, most of what importing this would take
    from store.record import Batch, record

    if letter.type == "run.launched":
        raise LetterStays("nothing is launched from a letter; launch the workflow again")
    live = connection.execute("SELECT 1 FROM runs WHERE id=? AND state='live'", (letter.run,)).fetchone()
    if live is not None:
        raise LetterStays(f"run {letter.run} is live, and what happens in it is for its watch to say; wait for its end")
    try:
        event = decode(
            type=letter.type,
            id=letter.id,
            at=letter.at,
            run=letter.run,
            agent=letter.agent,
            data=json.dumps(letter.data),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise LetterStays(f"the letter {letter.id} cannot be read by this midwatch: {error}") from error
    (recorded,) = record(connection, [Batch(events=(event,))])
    if recorded.refused:
        raise LetterStays(f"it is refused again: {recorded.refused[0].why}")
    with write(connection):
        _set_state(connection, letter, LetterState.RETRIED)


def _set_state(connection: sqlite3.Connection, letter: Letter, state: LetterState) -> None:
    connection.execute("UPDATE dead_letters SET state=? WHERE id=?", (state.value, letter.id))
