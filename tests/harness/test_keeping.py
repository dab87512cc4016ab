"""The record stays within its bounds; a crash in the middle never leaves half of one shown as whole (R5, R6)."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness import keeping
from harness.errors import SettingsError
from harness.keeping import Keeping, bytes_of, delete_folder
from harness.scribe import Scribe
from store import events as e
from store import outbox
from store.audit import audit_run, run_ids
from store.database import open_reader, open_writer
from store.ledger import By, UsageLine, usage_lines
from store.migrations import migrate
from store.model import Counts, Outcome, Role
from store.paths import Places
from store.plan import Plan, PlannedAgent, PlannedWave
from store.record import Batch, record
from store.views import load_run, run_line

CHILD = Path(__file__).with_name("keeping_child.py")
PLAN = Plan(waves=(PlannedWave(name="build", agents=(PlannedAgent(name="api", role=Role.DEVELOPER, cli="command"),)),))


@dataclass(frozen=True, kw_only=True)
class Home:
    """A record with its journals, as the watch left them."""

    places: Places

    def runs(self, *names: str, workflow: str = "/w/ship.toml", journal: int = 1_000) -> None:
        """Runs that have ended and whose events were shipped, each with a journal of so many bytes."""
        with closing(open_writer(self.places.record)) as connection:
            migrate(connection, self.places.record, machine="this-machine")
            for name in names:
                record(connection, [Batch(events=_events(name, workflow))])
                folder = self.places.journals_of(name)
                folder.mkdir(parents=True)
                (folder / "api.1.out").write_bytes(b"x" * journal)
                (folder / "api.1.exit").write_text("{}")
                (folder / "workflow.json").write_text("{}")
            self.ship(connection)

    def ship(self, connection: sqlite3.Connection) -> None:
        outbox.hand_out(connection, {}, limit=10_000, now=0)

    def bounds(self, **bounds: str | int) -> None:
        lines = [f"{name} = {value if isinstance(value, int) else repr(value)}\n" for name, value in bounds.items()]
        self.places.settings.write_text("[retention]\n" + "".join(lines))

    def keep(self) -> bool:
        """One pass of a watch."""
        scribe = Scribe(self.places.record, machine="this-machine")
        scribe.start()
        try:
            return asyncio.run(Keeping(self.places, scribe).keep())
        finally:
            scribe.close()

    def stands(self) -> dict[str, str]:
        """By run whether it is whole, or why not; anything between is an error."""
        found = {}
        with closing(open_reader(self.places.record)) as connection:
            for (name,) in connection.execute("SELECT id FROM runs ORDER BY seq").fetchall():
                line, folder = run_line(connection, name), self.places.journals_of(name)
                rows = sum(
                    connection.execute(f"SELECT count(*) FROM {table} WHERE run=?", (name,)).fetchone()[0]
                    for table in ("events", "delegations", "attempts")
                )
                if line.dropped is None:
                    assert name in run_ids(connection)
                    assert audit_run(connection, name) == []
                    assert {one.name for one in folder.iterdir()} == {"api.1.out", "api.1.exit", "workflow.json"}
                else:
                    assert rows == 0
                    assert load_run(connection, name).delegations == {}
                found[name] = line.dropped or "whole"
        return found

    def folders(self) -> set[str]:
        return {one.name for one in self.places.journals.iterdir()}

    def usage(self) -> list[list[UsageLine]]:
        with closing(open_reader(self.places.record)) as connection:
            return [sorted(usage_lines(connection, by), key=repr) for by in By]


def _events(run: str, workflow: str) -> tuple[e.Event, ...]:
    agent = {"run": run, "agent": "api"}
    usage = [
        e.UsageRecorded(**agent, attempt=1, turns=1, model=model, counts=Counts(input=3, cost=cost))
        for model, cost in (("opus", 5), ("opus", None), ("sonnet", 7))
    ]
    return (
        e.RunLaunched(run=run, workflow=workflow, name="ship", folder="/w", plan=PLAN, digest="d"),
        e.DelegationDelegated(**agent),
        e.DelegationStarted(**agent, attempt=1, attempt_id=run, cli="command"),
        *usage,
        e.AttemptEnded(**agent, attempt=1, exit_code=0),
        e.DelegationReported(**agent, attempt=1),
        e.DelegationAccepted(**agent),
        e.RunFinished(run=run, outcome=Outcome.COMPLETED, reached_end=True, why="done"),
    )


@pytest.fixture
def home(tmp_path: Path) -> Home:
    places = Places.of_environment({"MIDWATCH_HOME": str(tmp_path / "home")})
    places.prepare()
    return Home(places=places)


def test_within_its_bounds_everything_stays(home: Home) -> None:
    home.runs("a", "b", "c")
    assert not home.keep()
    assert home.stands() == {"a": "whole", "b": "whole", "c": "whole"}


def test_the_oldest_leave_with_their_folders_and_what_they_cost_stays(home: Home) -> None:
    home.runs("a", "b", "c", "d")
    home.bounds(runs=2)
    usage = home.usage()
    home.keep()
    assert home.stands() == {"a": "evicted", "b": "evicted", "c": "whole", "d": "whole"}
    assert home.folders() == {"c", "d"}
    assert home.usage() == usage


def test_bytes_are_those_of_journals_and_rows(home: Home) -> None:
    home.runs("a", "b", journal=400_000)
    home.runs("c", journal=1_000)
    home.bounds(bytes="0.5MiB")
    home.keep()
    assert home.stands() == {"a": "evicted", "b": "whole", "c": "whole"}


def test_one_too_large_is_dropped_whole_pinned_or_not(home: Home) -> None:
    home.runs("a")
    home.runs("b", workflow="/w/other.toml", journal=2_000_000)
    home.bounds(record="1MiB")
    home.keep()
    assert home.stands() == {"a": "whole", "b": "too large"}
    assert home.folders() == {"a"}


def test_many_leave_in_one_pass(home: Home) -> None:
    home.runs(*(f"r{number:03}" for number in range(3 * keeping.BATCH)))
    home.bounds(runs=1)
    home.keep()
    assert set(home.stands().values()) == {"evicted", "whole"}
    assert home.folders() == {f"r{3 * keeping.BATCH - 1:03}"}


def test_with_settings_that_cannot_be_read_nothing_leaves(home: Home) -> None:
    home.runs("a", "b")
    home.places.settings.write_text("[retention]\nruns = 1\nrums = 2\n")
    with pytest.raises(SettingsError):
        home.keep()
    assert set(home.stands().values()) == {"whole"}


def test_what_is_not_shipped_yet_stays_and_is_looked_at_again(home: Home) -> None:
    home.runs("a", "b")
    home.bounds(record="1KiB")
    with closing(open_writer(home.places.record)) as connection:
        connection.execute("INSERT INTO outbox(consumer, seq) SELECT 'webhook', max(seq) FROM events")
        assert home.keep()
        assert home.stands() == {"a": "too large", "b": "whole"}
        connection.execute("DELETE FROM outbox")
    assert not home.keep()
    assert home.stands() == {"a": "too large", "b": "too large"}


def test_a_folder_that_cannot_be_deleted_is_tried_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.runs("a", "b")
    home.bounds(runs=1)

    def refuses(folder: Path) -> None:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(keeping, "delete_folder", refuses)
    home.keep()
    assert home.stands() == {"a": "evicted", "b": "whole"}
    assert home.folders() == {"a", "b"}
    monkeypatch.undo()
    home.keep()
    assert home.folders() == {"b"}


def test_a_folder_is_deleted_without_following_links(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "folder"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("kept")
    (folder / "deeper").mkdir(parents=True)
    (folder / "deeper" / "file").write_bytes(b"12345")
    (folder / "link").symlink_to(elsewhere)
    (folder / "file-link").symlink_to(elsewhere / "kept")
    assert bytes_of(folder) == 5 + len(str(elsewhere / "kept"))
    delete_folder(folder)
    assert not folder.exists()
    assert (elsewhere / "kept").read_text() == "kept"
    assert bytes_of(folder) == 0
    delete_folder(folder)


def child(home: Home, step: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(CHILD), str(home.places.home), str(step)], capture_output=True, text=True, timeout=60
    )


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A home whose record has to shrink, to be copied, and in how many steps it does."""
    folder = tmp_path_factory.mktemp("night")
    places = Places.of_environment({"MIDWATCH_HOME": str(folder / "home")})
    places.prepare()
    made = Home(places=places)
    made.runs("a", "b", "c")
    made.runs("d", workflow="/w/other.toml", journal=2_000_000)
    made.bounds(runs=2, record="1MiB")
    copy = Home(places=_copy(folder / "home", folder / "counted"))
    counted = child(copy, 0)
    assert counted.returncode == 0, counted.stderr
    assert copy.stands() == {"a": "evicted", "b": "whole", "c": "whole", "d": "too large"}
    return folder / "home", int(counted.stdout)


def _copy(home: Path, to: Path) -> Places:
    shutil.copytree(home, to)
    return Places.of_environment({"MIDWATCH_HOME": str(to)})


def test_killed_before_any_step_it_is_whole_or_gone(
    night: tuple[Path, int], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    source, steps = night
    assert steps > 40
    seen = set()
    for step in range(1, steps + 1, 1 if request.config.getoption("--run-long") else 11):
        home = Home(places=_copy(source, tmp_path / str(step)))
        usage = home.usage()
        assert child(home, step).returncode == -9
        seen.add(tuple(home.stands().values()))
        assert home.usage() == usage
        home.keep()
        assert home.stands() == {"a": "evicted", "b": "whole", "c": "whole", "d": "too large"}
        assert home.folders() == {"b", "c"}
        assert home.usage() == usage
    assert len(seen) == 3, "before, between and after the two that leave"


Scenario = Callable[[Keeping], Awaitable[None]]


@pytest.fixture
def play(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Scenario], None]]:
    """Plays a scenario with a keeping in the background, which does not wait before it looks."""
    monkeypatch.setattr(keeping, "SETTLE_S", 0.0)
    scribe = Scribe(home.places.record, machine="this-machine")
    scribe.start()

    async def whole(scenario: Scenario) -> None:
        found = Keeping(home.places, scribe)
        task = asyncio.ensure_future(found.run())
        async with asyncio.timeout(60):
            await scenario(found)
            await found.close()
        assert task.done()

    yield lambda scenario: asyncio.run(whole(scenario))
    scribe.close()


async def until(condition: Callable[[], Any], what: str) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, f"{what} has not come true"
        await asyncio.sleep(0.005)


def test_it_looks_at_the_start_and_when_a_run_has_ended(home: Home, play: Callable[[Scenario], None]) -> None:
    home.runs("a", "b")
    home.bounds(runs=1)

    async def scenario(found: Keeping) -> None:
        await until(lambda: home.folders() == {"b"}, "the look at the start")
        home.runs("c")
        found.look()
        await until(lambda: home.folders() == {"c"}, "the look after a run")

    play(scenario)


def test_it_goes_on_after_settings_that_could_not_be_read(
    home: Home, play: Callable[[Scenario], None], caplog: pytest.LogCaptureFixture
) -> None:
    home.runs("a", "b")
    home.places.settings.write_text("[retention]\nrums = 1\n")

    async def scenario(found: Keeping) -> None:
        await until(lambda: "nothing is evicted" in caplog.text, "the word about it")
        home.bounds(runs=1)
        found.look()
        await until(lambda: home.folders() == {"b"}, "the next look")

    play(scenario)


def test_it_can_be_closed_while_it_deletes(
    home: Home, play: Callable[[Scenario], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    home.runs("a", "b")
    home.bounds(runs=1)
    deleting, go_on = threading.Event(), threading.Event()

    def slowly(_: Path) -> None:
        deleting.set()
        go_on.wait(60)

    monkeypatch.setattr(keeping, "delete_folder", slowly)

    async def scenario(_: Keeping) -> None:
        await until(deleting.is_set, "the deleting")

    play(scenario)
    go_on.set()
    assert home.folders() == {"a", "b"}
    monkeypatch.undo()
    home.keep()
    assert home.folders() == {"b"}
