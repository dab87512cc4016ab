"""What screens and commands read."""

from __future__ import annotations

import sqlite3

import pytest
from story import WORKFLOW, cut_off, delegated, finished, launched

from store import events as e
from store.errors import AmbiguousRun, RunNotFound
from store.log import events_of, last_seq
from store.model import Outcome
from store.record import Batch, record
from store.recovery import runs_with_something_left
from store.views import harness_paused, live_runs, load_run, meta, resolve_run, run_line, run_lines
from store.vitals import VitalsRow, forget_vitals, vitals_of, write_vitals
from store.workflow_lines import workflow_lines


def test_an_empty_record(reader: sqlite3.Connection) -> None:
    assert run_lines(reader) == live_runs(reader) == []
    assert workflow_lines(reader) == {}
    assert vitals_of(reader, "r") == {}
    assert list(events_of(reader, "r")) == []
    assert last_seq(reader) == 0
    assert not harness_paused(reader)
    assert meta(reader, "nothing of the kind") is None
    for reference in ("@", "r", ""):
        with pytest.raises(RunNotFound, match=f"no run '{reference}'"):
            resolve_run(reader, reference)
    for reads in (run_line, load_run):
        with pytest.raises(RunNotFound):
            reads(reader, "r")


class TestResolving:
    """A run is named by its id, a prefix that no other shares, or `@` for the newest."""

    @pytest.fixture(autouse=True)
    def runs(self, writer: sqlite3.Connection) -> None:
        ids = ("6b8j60ypq3vq", "6b8j60ypzzzz", "7aaaaaaaaaaa", "5bbbbbbbbbbb")
        record(writer, [Batch(events=tuple(launched(run) for run in ids))])

    @pytest.mark.parametrize(
        ("reference", "run"),
        [
            ("6b8j60ypq3vq", "6b8j60ypq3vq"),
            ("6b8j60ypq", "6b8j60ypq3vq"),
            ("7", "7aaaaaaaaaaa"),
            ("6B8J60YPZ", "6b8j60ypzzzz"),
            ("@", "5bbbbbbbbbbb"),
        ],
    )
    def test_found(self, reader: sqlite3.Connection, reference: str, run: str) -> None:
        assert resolve_run(reader, reference) == run

    def test_a_prefix_that_several_share(self, reader: sqlite3.Connection) -> None:
        with pytest.raises(AmbiguousRun, match="2 runs begin with '6b8j'"):
            resolve_run(reader, "6b8j")

    @pytest.mark.parametrize("reference", ["", "6b8j60ypq3vqx", "8", "%", "6_", "é", "@@", "' OR 1=1"])
    def test_not_found(self, reader: sqlite3.Connection, reference: str) -> None:
        with pytest.raises(RunNotFound):
            resolve_run(reader, reference)

    def test_an_ambiguity_is_counted_however_large(
        self, writer: sqlite3.Connection, reader: sqlite3.Connection
    ) -> None:
        record(writer, [Batch(events=tuple(launched(f"9{number:03}") for number in range(30)))])
        with pytest.raises(AmbiguousRun, match="30 runs"):
            resolve_run(reader, "9")


class TestStatusOfAWorkflow:
    """It is that of the newest live run, and a run that ends sets it only when no other is live (R4)."""

    @pytest.fixture(autouse=True)
    def two_live_runs(self, writer: sqlite3.Connection) -> None:
        """The long one takes 17 minutes; its sibling is launched later and takes 13 seconds."""
        record(writer, [Batch(events=(launched("long", at=0), launched("sibling", at=60_000)))])

    def status(self, reader: sqlite3.Connection) -> tuple[str, Outcome | None, int]:
        line = workflow_lines(reader)[WORKFLOW]
        return line.last.id, line.last.outcome, line.live_runs

    def test_the_newest_of_two_live_runs(self, reader: sqlite3.Connection) -> None:
        assert self.status(reader) == ("sibling", None, 2)

    def test_the_sibling_ends_first(self, writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
        record(writer, [Batch(events=(finished("sibling", Outcome.COMPLETED, at=73_000),))])
        assert self.status(reader) == ("long", None, 1)
        record(writer, [Batch(events=(finished("long", Outcome.NOT_ACCEPTED, at=1_020_000),))])
        assert self.status(reader) == ("long", Outcome.NOT_ACCEPTED, 0)

    def test_the_long_one_ends_first(self, writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
        record(writer, [Batch(events=(finished("long", Outcome.NOT_ACCEPTED, at=70_000),))])
        assert self.status(reader) == ("sibling", None, 1)
        record(writer, [Batch(events=(finished("sibling", Outcome.COMPLETED, at=73_000),))])
        assert self.status(reader) == ("sibling", Outcome.COMPLETED, 0)

    def test_the_clock_does_not_decide(self, writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
        record(writer, [Batch(events=(finished("sibling", at=2_000_000), finished("long", at=1_000)))])
        assert self.status(reader)[0] == "long"
        record(writer, [Batch(events=(launched("newest", at=5),))])
        assert self.status(reader) == ("newest", None, 1)

    def test_the_ending_run_keeps_its_own_history(self, writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
        record(writer, [Batch(events=(finished("sibling", Outcome.COMPLETED),))])
        assert run_line(reader, "sibling").outcome is Outcome.COMPLETED
        assert run_line(reader, "long").live

    def test_another_workflow_has_a_status_of_its_own(
        self, writer: sqlite3.Connection, reader: sqlite3.Connection
    ) -> None:
        other = "/elsewhere/ship.toml"
        record(writer, [Batch(events=(launched("other", workflow=other), finished("other", Outcome.BLOCKED)))])
        lines = workflow_lines(reader)
        assert sorted(lines) == [other, WORKFLOW]
        assert (lines[other].last.outcome, lines[other].name, lines[other].live_runs) == (Outcome.BLOCKED, "ship", 0)
        assert self.status(reader) == ("sibling", None, 2)


def test_pages_of_runs(writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
    runs = [f"r{number}" for number in range(7)]
    record(writer, [Batch(events=tuple(launched(run) for run in runs))])
    found: list[str] = []
    before = None
    while page := run_lines(reader, limit=3, before=before):
        found += [line.id for line in page]
        before = page[-1].seq
    assert found == runs[::-1]


def test_the_runs_of_one_workflow_live_or_not(writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
    events = [launched(f"r{number}", workflow=f"/{number % 2}.toml") for number in range(10)]
    record(writer, [Batch(events=(*events, finished("r4"), finished("r8"), finished("r9")))])
    assert [line.id for line in run_lines(reader, workflow="/0.toml")] == ["r8", "r6", "r4", "r2", "r0"]
    newest = run_lines(reader, workflow="/0.toml", limit=2)
    assert [line.id for line in newest] == ["r8", "r6"]
    assert [line.id for line in run_lines(reader, workflow="/0.toml", limit=2, before=newest[-1].seq)] == ["r4", "r2"]
    assert run_lines(reader, workflow="/2.toml") == []


def test_live_runs(writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
    record(writer, [Batch(events=(launched("a"), launched("b"), launched("c"), finished("b")))])
    assert [line.id for line in live_runs(reader)] == ["c", "a"]


def test_a_cut_off_run_is_offered_until_it_is_discarded(writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
    record(writer, [Batch(events=(launched("other"), *cut_off("r", "api")))])
    assert runs_with_something_left(reader) == ["r"]
    record(writer, [Batch(events=(e.RunDiscarded(run="r"),))])
    assert runs_with_something_left(reader) == []
    assert run_line(reader, "r").restored


def test_events_from_one_on(writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
    record(writer, [Batch(events=(*delegated("r", "api", "ui"), launched("other"), e.RunPaused(run="r")))])
    found = list(events_of(reader, "r"))
    assert [stored.type for stored in found] == [
        "run.launched",
        "delegation.delegated",
        "delegation.delegated",
        "run.paused",
    ]
    assert [(found[1].agent, found[1].from_state, found[1].to_state)] == [("api", None, "delegated")]
    assert list(events_of(reader, "r", after=found[1].seq)) == found[2:]
    assert last_seq(reader) == found[-1].seq


def test_vitals_are_the_newest_look_only(writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
    row = VitalsRow(run="r", agent="api", at=1, sign_of_life=1, cpu=10, memory=20, tree=((3, 30), (4, 40)))
    write_vitals(writer, [row])
    write_vitals(writer, [VitalsRow(run="r", agent="api", at=2, sign_of_life=None, cpu=None, memory=None)])
    write_vitals(writer, [VitalsRow(run="s", agent="api", at=3, sign_of_life=3, cpu=1, memory=2, tree=((5, 50),))])
    (found,) = vitals_of(reader, "r").values()
    assert (found.at, found.sign_of_life, found.cpu, found.memory, found.pids) == (2, None, None, None, ())
    forget_vitals(writer, "r")
    assert vitals_of(reader, "r") == {}
    assert vitals_of(reader, "s")["api"].pids == (5,)
