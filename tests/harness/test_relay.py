"""From a commit to those outside: at least once, tried again, given up at last, and holding up nobody (E4, E7)."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from harness import delivery, relay
from harness.consumers.consumer import NotTaken
from harness.consumers.message import Message
from harness.relay import Relay
from harness.scribe import Scribe
from store import events as e
from store.database import open_reader
from store.ids import new_run_id
from store.letters import LetterState, drop, find_letter, open_letters, retry
from store.model import Outcome, Role
from store.outbox import MOST_TRIES
from store.paths import Places
from store.plan import Plan, PlannedAgent, PlannedWave
from store.record import Batch
from tests.harness.receiver import HANGS, receiving

PLAN = Plan(waves=(PlannedWave(name="build", agents=(PlannedAgent(name="api", role=Role.DEVELOPER, cli="command"),)),))


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for a wait."""
    monkeypatch.setattr(delivery, "FIRST_WAIT_S", 0.001)
    monkeypatch.setattr(delivery, "LONGEST_WAIT_S", 0.005)
    monkeypatch.setattr(relay, "LOOK_S", 0.005)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    found = Places.of_environment({"MIDWATCH_HOME": str(tmp_path / "home")})
    found.prepare()
    return found


@pytest.fixture
def scribe(places: Places) -> Iterator[Scribe]:
    found = Scribe(places.record, machine="this-machine")
    found.start()
    yield found
    found.close()


@pytest.fixture
def reader(scribe: Scribe, places: Places) -> Iterator[sqlite3.Connection]:
    with closing(open_reader(places.record)) as connection:
        yield connection


def settings(places: Places, text: str) -> None:
    """Writes them as an editor does: a new file in place of the old."""
    new = places.settings.with_suffix(".new")
    new.write_text(text)
    new.replace(places.settings)


def webhook(address: str) -> str:
    return f"[notices]\nwebhook = {json.dumps(address)}\n"


def command(*argv: str) -> str:
    return f"[notices]\ncommand = {json.dumps(argv)}\n"


async def until(condition: Callable[[], Any], what: str = "it") -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, f"{what} has not come true"
        await asyncio.sleep(0.005)


@asynccontextmanager
async def running(places: Places, scribe: Scribe) -> AsyncIterator[Relay]:
    found = Relay(places, scribe)
    task = asyncio.ensure_future(found.run())
    try:
        yield found
    finally:
        await found.close()
        assert task.done()


def events_of(run: str, *, detail: str = "exit status 3") -> tuple[e.Event, ...]:
    """A run with a failed agent."""
    agent = {"run": run, "agent": "api"}
    return (
        e.RunLaunched(run=run, workflow="/w/ship.toml", name="ship", folder="/w", plan=PLAN, digest="d"),
        e.DelegationDelegated(**agent),
        e.DelegationStarted(**agent, attempt=1, attempt_id=run, cli="command"),
        e.DelegationFailed(**agent, detail=detail),
    )


def finished(run: str) -> e.RunFinished:
    return e.RunFinished(run=run, outcome=Outcome.WITH_FAILURES, reached_end=True, why="its only agent failed: api")


async def end_a_run(scribe: Scribe) -> e.RunFinished:
    """The end of a run, recorded now; no agent of it failed."""
    run = new_run_id()
    last = finished(run)
    (recorded,) = await scribe.record([Batch(events=(*events_of(run)[:1], last))])
    assert not recorded.refused
    return last


def owed(reader: sqlite3.Connection) -> int:
    return int(reader.execute("SELECT count(*) FROM outbox").fetchone()[0])


Scenario = Callable[[], Awaitable[None]]


def play(scenario: Scenario) -> None:
    async def whole() -> None:
        async with asyncio.timeout(60):
            await scenario()

    asyncio.run(whole())


def test_a_person_is_told_what_concerns_them(
    places: Places, scribe: Scribe, reader: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_TOKEN", 'hush"hush-"hush')
    run = new_run_id()
    events = (*events_of(run, detail='it said hush"hush-"hush\x1b[2J twice'), finished(run))

    async def scenario() -> None:
        await scribe.record([Batch(events=events)])
        async with running(places, scribe):
            await until(lambda: len(receiver.bodies) == 2)
            await until(lambda: owed(reader) == 0)

    with receiving() as receiver:
        settings(places, webhook(receiver.address))
        play(scenario)
    assert receiver.events == [events[3].id, events[4].id]
    failed, ended = receiver.body(0), receiver.body(1)
    assert failed["data"] == {"detail": "it said ***\x1b[2J twice"}
    assert failed["text"] == r"ship: api failed: it said ***\x1b[2J twice"
    assert ended["text"] == "ship: completed with failures: its only agent failed: api"
    at = ended.pop("at")
    assert at.endswith("Z")
    del ended["text"]
    assert ended == {
        "id": events[4].id,
        "seq": 5,
        "type": "run.finished",
        "run": run,
        "agent": None,
        "workflow": "ship",
        "folder": "/w",
        "from": "live",
        "to": "finished",
        "data": {"outcome": "completed with failures", "reached_end": True, "why": "its only agent failed: api"},
    }


def test_with_nobody_to_tell_nothing_is_kept(places: Places, scribe: Scribe, reader: sqlite3.Connection) -> None:
    async def scenario() -> None:
        async with running(places, scribe) as found:
            await end_a_run(scribe)
            await until(lambda: owed(reader) == 0)
            assert not found.owes

    play(scenario)


def test_a_program_is_told_too(places: Places, scribe: Scribe, tmp_path: Path) -> None:
    told = tmp_path / "told"
    text = f"import os; open({str(told)!r}, 'a').write(os.environ['MIDWATCH_EVENT_ID'] + '\\n')"
    settings(places, command(sys.executable, "-c", text))

    async def scenario() -> None:
        async with running(places, scribe):
            last = await end_a_run(scribe)
            await until(lambda: told.exists() and told.read_text() == f"{last.id}\n")

    play(scenario)


def test_a_receiver_that_fails_for_a_while_gets_it_in_the_end(
    places: Places, scribe: Scribe, reader: sqlite3.Connection
) -> None:
    async def scenario() -> None:
        async with running(places, scribe) as found:
            last = await end_a_run(scribe)
            await until(lambda: len(receiver.bodies) == 4)
            await until(lambda: not found.owes)
            assert receiver.events == [last.id] * 4

    with receiving(500, 503, 404) as receiver:
        settings(places, webhook(receiver.address))
        play(scenario)
    assert len(set(receiver.bodies)) == 1
    assert open_letters(reader) == []


def test_one_that_fails_every_time_is_a_letter_that_can_be_tried_again(
    places: Places, scribe: Scribe, reader: sqlite3.Connection
) -> None:
    async def scenario() -> None:
        async with running(places, scribe) as found:
            last = await end_a_run(scribe)
            await until(lambda: open_letters(reader), "a dead letter")
            assert not found.owes
            assert receiver.events == [last.id] * MOST_TRIES
            (letter,) = open_letters(reader)
            assert (letter.id, letter.consumer) == (f"{last.id}/webhook", "webhook")
            assert letter.why == "127.0.0.1 answered 500"
            later = await end_a_run(scribe)
            await until(lambda: receiver.events[-1] == later.id, "another event")
            await scribe.apart(lambda record: retry(record, letter.id))
            await until(lambda: receiver.events[-1] == last.id, "the letter")
            await until(lambda: not found.owes)
            assert find_letter(reader, letter.id).state is LetterState.RETRIED

    with receiving(*[500] * MOST_TRIES) as receiver:
        settings(places, webhook(receiver.address))
        play(scenario)
    assert len(receiver.events) == MOST_TRIES + 2


@dataclass(frozen=True, kw_only=True)
class Odd:
    """A consumer of the tests: does what it is told with each message."""

    name: str = "odd"
    types: ClassVar[frozenset[str]] = frozenset({"run.finished"})
    timeout: float = 30.0
    does: Callable[[Message], Awaitable[None]] = field(compare=False)

    async def take(self, message: Message) -> None:
        await self.does(message)


def with_consumers(monkeypatch: pytest.MonkeyPatch, *consumers: Odd) -> None:
    monkeypatch.setattr(relay, "consumers_of", lambda *_: list(consumers))


async def never(_: Message) -> None:
    await asyncio.Event().wait()


def test_one_that_hangs_holds_up_neither_another_nor_the_record(
    places: Places, scribe: Scribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[str] = []

    async def take(message: Message) -> None:
        taken.append(message.id)

    with_consumers(monkeypatch, Odd(name="hangs", does=never), Odd(name="works", does=take))

    async def scenario() -> None:
        async with running(places, scribe) as found:
            ends = [(await end_a_run(scribe)).id for _ in range(20)]
            await until(lambda: taken == ends)
            assert found.owes

    play(scenario)


def test_one_that_takes_too_long_has_not_taken_it(
    places: Places, scribe: Scribe, reader: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_consumers(monkeypatch, Odd(does=never, timeout=0.01))

    async def scenario() -> None:
        async with running(places, scribe):
            await end_a_run(scribe)
            await until(lambda: open_letters(reader), "a dead letter")

    play(scenario)
    assert open_letters(reader)[0].why == "it had not taken it within 0.01 s"


def test_a_fault_in_midwatch_itself_is_counted_and_ends(
    places: Places,
    scribe: Scribe,
    reader: sqlite3.Connection,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def breaks(_: Message) -> None:
        raise KeyError("no such thing")

    with_consumers(monkeypatch, Odd(does=breaks))

    async def scenario() -> None:
        async with running(places, scribe):
            await end_a_run(scribe)
            await until(lambda: open_letters(reader), "a dead letter")

    play(scenario)
    assert "a fault in midwatch itself: KeyError" in open_letters(reader)[0].why
    assert "Traceback" in caplog.text


def test_secrets_are_in_no_reason(
    places: Places, scribe: Scribe, reader: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_TOKEN", "hush-hush-hush")

    async def tells(_: Message) -> None:
        raise NotTaken("it said: hush-hush-hush is wrong")

    with_consumers(monkeypatch, Odd(does=tells))

    async def scenario() -> None:
        async with running(places, scribe):
            await end_a_run(scribe)
            await until(lambda: open_letters(reader), "a dead letter")

    play(scenario)
    assert open_letters(reader)[0].why == "it said: *** is wrong"


def test_what_is_on_its_way_when_the_watch_leaves_goes_on_at_the_next_start(
    places: Places, scribe: Scribe, reader: sqlite3.Connection
) -> None:
    async def scenario() -> None:
        async with running(places, scribe):
            ends = [(await end_a_run(scribe)).id for _ in range(3)]
            await until(lambda: len(receiver.bodies) == 1)
        assert receiver.given_up.is_set() or receiver.given_up.wait(5)
        assert reader.execute(
            "SELECT DISTINCT owner, leased_until, tries FROM outbox WHERE consumer<>''"
        ).fetchall() == [(None, None, 0)]
        async with running(places, scribe) as found:
            await until(lambda: len(receiver.bodies) == 4)
            await until(lambda: not found.owes)
        assert receiver.events == [ends[0], *ends]

    with receiving(HANGS) as receiver:
        settings(places, webhook(receiver.address))
        play(scenario)


def test_two_relays_at_once_ship_each_event_once(
    places: Places, scribe: Scribe, reader: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[str] = []

    async def take(message: Message) -> None:
        await asyncio.sleep(0)
        taken.append(message.id)

    with_consumers(monkeypatch, Odd(does=take))

    async def scenario() -> None:
        other_scribe = Scribe(places.record, machine="this-machine")
        other_scribe.start()
        async with running(places, scribe), running(places, other_scribe):
            ends = [(await end_a_run(scribe)).id for _ in range(100)]
            await until(lambda: len(taken) >= len(ends) and owed(reader) == 0)
            assert sorted(taken) == sorted(ends)
        other_scribe.close()

    play(scenario)


def test_settings_are_taken_up_while_it_runs(places: Places, scribe: Scribe, reader: sqlite3.Connection) -> None:
    async def scenario() -> None:
        async with running(places, scribe):
            await end_a_run(scribe)
            await until(lambda: owed(reader) == 0)
            settings(places, webhook(receiver.address))
            last = await end_a_run(scribe)
            await until(lambda: receiver.events == [last.id])
            settings(places, "[notices]\nwebhok = 1\n")
            last = await end_a_run(scribe)
            await until(lambda: receiver.events[1:] == [last.id], "the old settings staying in force")

    with receiving() as receiver:
        play(scenario)


def test_while_settings_cannot_be_read_nothing_is_lost(
    places: Places, scribe: Scribe, reader: sqlite3.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        settings(places, "[notices]\nwebhok = 1\n")
        first = await end_a_run(scribe)
        async with running(places, scribe) as found:
            await until(lambda: "notices stay as they were" in caplog.text)
            assert owed(reader) == 2
            assert not found.owes
            settings(places, webhook(receiver.address))
            last = await end_a_run(scribe)
            await until(lambda: receiver.events == [first.id, last.id])

    with receiving() as receiver:
        play(scenario)
    assert caplog.text.count("notices stay as they were") == 1


def test_what_a_consumer_that_was_taken_out_is_owed_becomes_a_letter(
    places: Places, scribe: Scribe, reader: sqlite3.Connection
) -> None:
    async def scenario() -> None:
        async with running(places, scribe):
            last = await end_a_run(scribe)
            await until(lambda: receiver.bodies)
            settings(places, "")
            await end_a_run(scribe)
            await until(lambda: open_letters(reader), "a dead letter")
            (letter,) = open_letters(reader)
            assert letter.id == f"{last.id}/webhook"
            assert "no such consumer any more" in letter.why
            await scribe.apart(lambda record: drop(record, letter.id))

    with receiving(HANGS) as receiver:
        settings(places, webhook(receiver.address))
        play(scenario)


def test_killed_while_it_ships_it_ships_again(places: Places, scribe: Scribe, reader: sqlite3.Connection) -> None:
    """The watch is killed with the request on its way; when the lease has ended, the next one ships it."""

    async def scenario() -> None:
        last = await end_a_run(scribe)
        child = await asyncio.to_thread(subprocess.Popen, [sys.executable, "-c", CHILD, str(places.home)])
        try:
            await until(lambda: receiver.bodies)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
        async with running(places, scribe) as found:
            await until(lambda: found.owes)
            assert receiver.events == [last.id]

            def let_time_pass(record: sqlite3.Connection) -> None:
                record.execute("UPDATE outbox SET leased_until=1")

            await scribe.apart(let_time_pass)
            await until(lambda: receiver.events == [last.id] * 2)
            await until(lambda: not found.owes)
            assert reader.execute("SELECT count(*) FROM dead_letters").fetchone() == (0,)

    with receiving(HANGS) as receiver:
        settings(places, webhook(receiver.address))
        play(scenario)


CHILD = """
import asyncio, sys
from harness.relay import Relay
from harness.scribe import Scribe
from store.paths import Places

places = Places.of_environment({"MIDWATCH_HOME": sys.argv[1]})
scribe = Scribe(places.record, machine="this-machine")
scribe.start()
asyncio.run(Relay(places, scribe).run())
"""


def test_waits_grow_have_jitter_and_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for tries, longest in [(1, 1), (2, 4), (3, 16), (5, 256), (6, 600), (20, 600)]:
        waits = {delivery.wait_before_next(tries) for _ in range(50)}
        assert longest / 2 <= min(waits) < max(waits) <= longest
    assert delivery.wait_before_next(1, after=90.0) == 90.0
