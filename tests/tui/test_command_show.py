from __future__ import annotations

import pytest

from store import events as e
from store.ids import now_ms
from store.model import Outcome, Reason, Role, Verdict
from store.plan import Plan, PlannedAgent, PlannedWave
from store.usage import NANO
from tests.tui.building import Building
from tests.tui.conftest import Midwatch


def test_the_document_has_the_shape_of_the_contract(midwatch: Midwatch, building: Building) -> None:
    run = building.launch(at=1_767_225_600_000, inputs={"feature": "dark\nmode"})
    building.start(run, "api", session="a-session")
    building.use(run, "api", turns=12, input=1, output=2, cost=1_840_000_000, at=1_767_225_601_000)
    document = midwatch("show", run, "--json").json
    agent = document["waves"][0]["agents"][0]
    assert {
        key: document[key]
        for key in ("run", "workflow", "status", "outcome", "reached_end", "restored", "started_at", "ended_at")
    } == {
        "run": run,
        "workflow": "ship",
        "status": "unsettled",
        "outcome": None,
        "reached_end": False,
        "restored": False,
        "started_at": "2026-01-01T00:00:00.000Z",
        "ended_at": None,
    }
    assert document["inputs"] == {"feature": "dark\nmode"}
    assert document["continues"] is None
    assert document["cost"] == {"usd": 1.84, "at_least": False, "partial": True, "estimated_usd": None}
    assert document["usage"] == {
        "input": 1,
        "output": 2,
        "cache_read": None,
        "cache_write": None,
        "total": 3,
        "turns": 12,
    }
    assert document["tally"] == {
        "done": 0,
        "failed": 0,
        "blocked": 0,
        "stopped": 0,
        "not_started": 0,
        "running": 1,
        "waiting": 2,
    }
    assert [[one["name"] for one in wave["agents"]] for wave in document["waves"]] == [["api", "ui"], ["tests"]]
    assert [wave["name"] for wave in document["waves"]] == ["build", "check"]
    expected = {
        "name": "api",
        "role": "developer",
        "cli": "claude",
        "model": "sonnet",
        "state": "running",
        "reason": None,
        "verdict": None,
        "turns": 12,
        "files": [],
        "resumable": False,
        "pids": [4711],
    }
    assert {key: agent[key] for key in expected} == expected
    assert agent["cost"] == document["cost"]
    assert agent["usage"] == document["usage"]
    (attempt,) = agent["attempts"]
    assert (attempt["attempt"], attempt["session"], attempt["exit_code"], attempt["ended_at"]) == (
        1,
        "a-session",
        None,
        None,
    )


def test_a_reason_is_a_word_for_stops_and_a_sentence_for_failures(midwatch: Midwatch, building: Building) -> None:
    run = building.launch()
    building.start(run, "api", session="s")
    building.start(run, "ui")
    building.write(
        e.DelegationFailed(run=run, agent="api", detail="exit status 2"),
        e.RunRestored(run=run),
        e.DelegationStopping(run=run, agent="ui", reason=Reason.INTERRUPTED),
        e.DelegationStopped(run=run, agent="ui", reason=Reason.INTERRUPTED),
        e.DelegationNotStarted(run=run, agent="tests", reason=Reason.STOPPED),
    )
    api, ui, tests = [one for wave in midwatch("show", run, "--json").json["waves"] for one in wave["agents"]]
    assert (api["state"], api["reason"]) == ("failed", "exit status 2")
    assert (ui["state"], ui["reason"]) == ("stopped", "interrupted")
    assert (tests["state"], tests["reason"]) == ("not_started", "stopped")


def _interrupted(building: Building) -> str:
    run = building.launch()
    building.start(run, "api", session="s-1")
    building.start(run, "ui")
    building.write(e.RunRestored(run=run))
    for agent in ("api", "ui"):
        building.write(
            e.AttemptEnded(run=run, agent=agent, attempt=1),
            e.DelegationStopping(run=run, agent=agent, reason=Reason.INTERRUPTED),
            e.DelegationStopped(run=run, agent=agent, reason=Reason.INTERRUPTED),
        )
    building.write(e.DelegationNotStarted(run=run, agent="tests", reason=Reason.STOPPED))
    building.finish(run, Outcome.STOPPED, "its watch was gone")
    return run


def test_an_interrupted_agent_with_a_session_is_resumable_until_the_run_is_discarded(
    midwatch: Midwatch, building: Building
) -> None:
    run = _interrupted(building)
    agents = midwatch("show", run, "--json").json["waves"][0]["agents"]
    assert [one["resumable"] for one in agents] == [True, False]
    assert [one["pids"] for one in agents] == [[], []]
    assert "its session can be taken up" in midwatch("show", run).out
    building.write(e.RunDiscarded(run=run))
    agents = midwatch("show", run, "--json").json["waves"][0]["agents"]
    assert [one["resumable"] for one in agents] == [False, False]


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Outcome.COMPLETED, 0),
        (Outcome.WITH_FAILURES, 1),
        (Outcome.NOT_ACCEPTED, 3),
        (Outcome.BLOCKED, 4),
        (Outcome.STOPPED, 5),
    ],
)
def test_the_exit_status_tells_the_outcome_when_asked(
    midwatch: Midwatch, building: Building, outcome: Outcome, status: int
) -> None:
    run = building.finished(outcome)
    assert midwatch("show", run, "--exit-status").status == status
    assert midwatch("show", run).status == 0


def test_a_run_that_goes_on_has_a_status_of_its_own(midwatch: Midwatch, building: Building) -> None:
    assert midwatch("show", building.launch(), "--exit-status").status == 10


def test_a_run_is_named_by_its_id_a_beginning_of_it_or_as_the_newest(midwatch: Midwatch, building: Building) -> None:
    building.finished()
    newest = building.finished()
    for name in (newest, newest[:-1], newest.upper(), "@"):
        assert midwatch("show", name, "--json").json["run"] == newest


def test_what_is_not_there_is_not_found(midwatch: Midwatch, building: Building) -> None:
    assert midwatch("show", "@").status == 6
    building.finished()
    for name in ("zzzz", "", "%"):
        ran = midwatch("show", name)
        assert (ran.status, ran.out) == (6, "")
        assert "no run" in ran.err


def test_a_beginning_that_several_runs_share_is_wrong_usage(midwatch: Midwatch, building: Building) -> None:
    building.finished()
    building.finished()
    assert midwatch("show", "6").status == 2


def test_without_a_record_nothing_is_found_and_nothing_is_made(midwatch: Midwatch) -> None:
    ran = midwatch("show", "@")
    assert ran.status == 6
    assert "there are no runs yet" in ran.err


PLAN = Plan(
    waves=(
        PlannedWave(
            name="check",
            agents=(
                PlannedAgent(name="review", role=Role.REVIEWER, cli="claude"),
                PlannedAgent(name="lint", role=Role.TESTER, cli="command", metered=False),
            ),
        ),
    )
)


def test_a_person_reads_outcome_verdicts_and_why(midwatch: Midwatch, building: Building) -> None:
    run = building.launch(plan=PLAN, inputs={"what": "a\tthing\x1b[2J"})
    building.start(run, "review")
    building.use(run, "review", turns=4, input=1200, output=30, cost=NANO // 2)
    building.use(run, "review", input=5, estimated=NANO // 4)
    building.end(run, "review")
    building.write(
        e.DelegationReported(run=run, agent="review", attempt=1),
        e.DelegationAccepted(
            run=run,
            agent="review",
            verdict=Verdict.REJECTED,
            quote="REJECTED:\nno \x1b]52;c;aGk=\x07tests",
            files=("r.md",),
        ),
    )
    building.start(run, "lint")
    building.end(run, "lint", 3)
    building.write(e.DelegationFailed(run=run, agent="lint", detail="exit status 3: " + "a long sentence " * 20))
    building.finish(run, Outcome.NOT_ACCEPTED, "review rejected it")
    out = midwatch("show", run).out
    assert out.startswith(f"✗ ship  {run}  not accepted\n  review rejected it\n")
    assert "done, rejected" in out
    assert '"REJECTED: no tests"' in out
    assert "files: r.md" in out
    assert "$0.75 ($0.25 of it is estimated, which is not a bill)" in out
    assert "cache read unknown" in out
    assert "ended with exit status 3" in out
    assert "what = a thing" in out
    assert all(len(line) <= 80 and (line.isprintable()) for line in out.splitlines())


def test_what_spends_nothing_shows_no_money(midwatch: Midwatch, building: Building) -> None:
    plan = Plan(
        waves=(PlannedWave(name="w", agents=(PlannedAgent(name="a", role=Role.TESTER, cli="command", metered=False),)),)
    )
    run = building.launch(plan=plan)
    building.done(run, "a")
    building.finish(run, Outcome.COMPLETED)
    out = midwatch("show", run).out
    assert "no cost" in out
    assert "?" not in out
    assert "unknown" not in out


def test_colour_is_for_terminals_only(midwatch: Midwatch, building: Building) -> None:
    building.finished()
    assert "\x1b" not in midwatch("show", "@").out


@pytest.mark.parametrize(
    ("why", "sentence", "line"),
    [
        ("evicted", "they made room for newer runs", "completed (detail evicted)"),
        ("too large", "its record was too large to keep", "completed (dropped: too large)"),
    ],
)
def test_a_run_whose_detail_is_gone_says_so(
    midwatch: Midwatch, building: Building, why: str, sentence: str, line: str
) -> None:
    run = building.finished()
    building.connection.execute("UPDATE runs SET dropped=?", (why,))
    assert sentence in " ".join(midwatch("show", run).out.split())
    assert line in midwatch("runs").out
    assert midwatch("show", run, "--json").json["dropped"] == why
    assert midwatch("runs", "--json").json[0]["dropped"] == why


def test_an_unsettled_run_has_no_agent_that_runs(midwatch: Midwatch, building: Building) -> None:
    run = building.launch(at=now_ms() - 3_600_000)
    building.done(run, "ui")
    building.start(run, "api")
    out = " ".join(midwatch("show", run).out.split())
    assert "unsettled" in out and "its watch ended before it did" in out
    assert "? api" in out and "it was running when its watch ended; the next start of midwatch settles it" in out
    assert "? tests" in out and "it was waiting when its watch ended" in out
    assert "✓ ui" in out and " for " not in out
    assert midwatch("show", run, "--json").json["status"] == "unsettled"
