"""From launch to outcome: what a run may claim is decided by recorded facts (O1–O10, R1, R4, A5)."""

from __future__ import annotations

import json

import pytest

from tests.journeys.conftest import Program, agent, until


def test_a_run_completes_and_hands_outputs_on(midwatch: Program) -> None:
    midwatch.workflow(
        "ship",
        [{"name": "api", "run": agent("print:the api is built")}, {"name": "ui", "run": agent("print:the ui")}],
        [{"name": "notes", "role": "writer", "run": agent("echo"), "prompt": "Got {{ agents.api.output }}"}],
    )
    printed = midwatch("run", "ship")
    assert "completed" in printed
    run = midwatch.show("@")
    assert (run["outcome"], run["reached_end"], run["status"]) == ("completed", True, "finished")
    assert run["tally"]["done"] == 3
    assert "Got the api is built" in midwatch("logs", "@", "notes")
    assert "2 done" in midwatch("logs", "@", "notes") or "done: 2" in midwatch("logs", "@", "notes")


def test_all_agents_of_a_wave_failing_is_not_success(midwatch: Program) -> None:
    midwatch.workflow(
        "triage",
        [{"name": f"a{number}", "run": agent(f"err:broken {number}", "exit:3")} for number in range(3)],
        [{"name": "last", "run": agent("echo"), "prompt": "go on"}],
    )
    midwatch("run", "triage", expect=1)
    run = midwatch.show("@")
    assert run["outcome"] == "completed with failures"
    assert run["tally"]["failed"] == 3
    handed = midwatch("logs", "@", "last")
    failures = [one for one in midwatch.json("events", "@") if one["type"] == "delegation.failed"]
    assert len(failures) == 3
    assert "3 failed" in handed or "failed: 3" in handed
    assert "exit" in run["waves"][0]["agents"][0]["reason"]


def test_a_gate_after_a_failed_wave_stops(midwatch: Program) -> None:
    midwatch.workflow(
        "gated",
        [{"name": "a", "run": agent("exit:1")}],
        [{"name": "b", "run": agent("print:never")}],
        on_failure="stop",
    )
    midwatch("run", "gated", expect=5)
    run = midwatch.show("@")
    assert run["outcome"] == "stopped" and not run["reached_end"]
    assert run["waves"][1]["agents"][0]["state"] == "not_started"


@pytest.mark.parametrize(
    ("text", "status", "outcome"),
    [
        ("## Verdict\\nGO", 0, "completed"),
        ("## Verdict\\nREJECTED: rounding", 3, "not accepted"),
        ("all fine, approved, GO", 4, "blocked"),
        ("## Blocked\\nno network", 4, "blocked"),
        ("## Verdict\\ncannot run the tests", 4, "blocked"),
    ],
)
def test_a_report_agents_verdict_decides(midwatch: Program, text: str, status: int, outcome: str) -> None:
    line = json.dumps({"report": "text", "text": text.replace("\\n", "\n")})
    midwatch.workflow(
        "judge",
        [{"name": "review", "role": "reviewer", "output": "reports", "run": agent(f"report:{line}"), "prompt": "?"}],
    )
    midwatch("run", "judge", expect=status)
    assert midwatch.show("@")["outcome"] == outcome


@pytest.mark.parametrize(
    ("line", "state", "reason"),
    [
        ('{"report":"blocked","text":"no key"}', "blocked", "said blocked without a reason"),
        ('{"report":"error","text":"no key"}', "failed", "said error without a message"),
        ('{"report":"blockd","reason":"no key"}', "done", None),
    ],
)
def test_a_misspelt_report_line_is_never_passed_over(
    midwatch: Program, line: str, state: str, reason: str | None
) -> None:
    script = agent('report:{"report":"turn"}', f"report:{line}", 'report:{"report":"usage","input":"1"}')
    midwatch.workflow("typo", [{"name": "a", "output": "reports", "run": script, "prompt": "x"}])
    midwatch("run", "typo", expect=None)
    one = midwatch.agent("@", "a")
    assert one["state"] == state and (reason or "") in (one["reason"] or "")
    assert one["warning"].startswith("2 report lines not understood, first: line 2: ")
    assert one["attempts"][0]["not_understood"] == 2
    assert "warning: 2 report lines not understood" in " ".join(midwatch("show", "@").split())
    logged = midwatch("logs", "@", "a")
    assert line in logged and "! not understood: " in logged
    assert midwatch.show("@")["cost"]["at_least"]


@pytest.mark.parametrize(("code", "status"), [(0, 4), (1, 4)])
def test_a_report_agent_without_a_verdict_has_no_vote_by_its_exit_status(
    midwatch: Program, code: int, status: int
) -> None:
    script = agent('report:{"report":"text","text":"all good"}', f"exit:{code}")
    midwatch.workflow("quiet", [{"name": "t", "role": "tester", "output": "reports", "run": script}])
    midwatch("run", "quiet", expect=status)


@pytest.mark.parametrize(("code", "status"), [(0, 0), (1, 3), (2, 4), (77, 4)])
def test_a_command_votes_by_exit_status(midwatch: Program, code: int, status: int) -> None:
    midwatch.workflow("tests", [{"name": "tests", "role": "tester", "run": agent(f"exit:{code}")}])
    midwatch("run", "tests", expect=status)


def test_a_short_sibling_never_ends_a_long_run_on_screen(midwatch: Program) -> None:
    gate = midwatch.project / "gate"
    midwatch.workflow(
        "twice",
        [{"name": "only", "run": agent(f"wait:{gate}")}],
    )
    first = midwatch.launch("twice")
    midwatch.until_state(first, "only", "running")
    midwatch.workflow("twice", [{"name": "only", "run": agent("print:short")}])
    second = midwatch.launch("twice")
    midwatch.until_finished(second)
    (line,) = [one for one in midwatch.json("list") if one["workflow"] == "twice"]
    assert (line["status"], line["live_runs"], line["last_run"]) == ("live", 1, first)
    gate.touch()
    midwatch.until_finished(first)
    (line,) = [one for one in midwatch.json("list") if one["workflow"] == "twice"]
    assert (line["status"], line["live_runs"]) == ("finished", 0)
    assert {one["run"] for one in midwatch.json("runs")} == {first, second}


def test_usage_of_a_report_agent_is_counted_once(midwatch: Program) -> None:
    usage = '{"report":"usage","id":"r1","model":"m","input":10,"output":%d,"cost_usd":0.25}'
    script = [f"report:{usage % 1}", f"report:{usage % 5}", 'report:{"report":"turn"}', 'report:{"report":"turn"}']
    midwatch.workflow("paid", [{"name": "a", "output": "reports", "run": agent(*script), "prompt": "x"}])
    midwatch("run", "paid")
    run = midwatch.show("@")
    assert run["cost"]["usd"] == 0.25
    assert run["usage"]["input"] == 10 and run["usage"]["output"] == 5 and run["usage"]["turns"] == 2
    assert run["usage"]["cache_read"] is None
    (by_model,) = midwatch.json("usage", "--by", "model")["lines"]
    assert by_model["cost"]["usd"] == 0.25


def test_a_hand_over_over_the_limit_is_refused_not_cut(midwatch: Program) -> None:
    midwatch.workflow(
        "large",
        [{"name": "a", "run": agent("lines:20000")}],
        [{"name": "b", "run": agent("echo"), "prompt": "{{ agents.a.output }}"}],
    )
    midwatch("run", "large", expect=1)
    reason = midwatch.agent("@", "b")["reason"]
    assert "1 MiB" in reason and "a" in reason


def test_a_missing_program_is_one_sentence(midwatch: Program) -> None:
    midwatch.workflow("missing", [{"name": "a", "run": agent("print:x")}], [{"name": "b", "run": ["./not-made"]}])
    midwatch("run", "missing", expect=1)
    assert "./not-made" in midwatch.agent("@", "b")["reason"]


def test_without_a_program_of_the_workflow_nothing_starts(midwatch: Program) -> None:
    midwatch.workflow(
        "missing",
        [{"name": "a", "run": agent("print:x")}],
        [{"name": "b", "run": ["no-such-program-here"]}, {"name": "c", "cli": "gemini", "prompt": "x"}],
    )
    told = midwatch("run", "missing", expect=8, PATH="/nowhere")
    assert "no-such-program-here is not on this PATH; gemini is not on this PATH (needed by b, c)" in told
    assert "nothing was started" in told
    assert midwatch.json("runs") == []


def test_agents_get_the_launching_terminals_surroundings(midwatch: Program) -> None:
    midwatch.workflow("where", [{"name": "a", "run": agent("cwd", "env:COLOUR", "umask", "env:TMUX")}])
    for colour in ("red", "blue"):
        midwatch("run", "where", COLOUR=colour, TMUX="/tmp/x,1,2")
        printed = midwatch("logs", "@", "a")
        assert colour in printed and str(midwatch.project) in printed and "(not set)" in printed
    assert "blue" not in midwatch("events", "@", "--json")


def test_a_budget_of_the_run_stops_it(midwatch: Program) -> None:
    usage = '{"report":"usage","id":"r1","cost_usd":3}'
    midwatch.workflow(
        "dear",
        [{"name": "a", "output": "reports", "run": agent(f"report:{usage}", "sleep:60"), "prompt": "x"}],
        [{"name": "b", "run": agent("print:never")}],
        top="[limits]\nbudget_usd = 2.0",
    )
    midwatch("run", "dear", expect=5)
    run = midwatch.show("@")
    assert run["waves"][0]["agents"][0]["state"] == "stopped"
    assert run["waves"][1]["agents"][0]["state"] == "not_started"
    assert run["cost"]["usd"] == 3.0


def test_a_failed_agent_names_its_signal(midwatch: Program) -> None:
    midwatch.workflow("killed", [{"name": "a", "run": agent("kill:9")}])
    midwatch("run", "killed", expect=1)
    assert "9" in midwatch.agent("@", "a")["reason"] or "SIGKILL" in midwatch.agent("@", "a")["reason"]


def test_parallel_is_a_limit(midwatch: Program) -> None:
    gate = midwatch.project / "gate"
    midwatch.workflow(
        "few",
        [{"name": f"a{number}", "run": agent(f"wait:{gate}")} for number in range(5)],
        top="[limits]\nparallel = 2",
    )
    run = midwatch.launch("few")
    until(lambda: midwatch.show(run)["tally"]["running"] == 2, what="two at work")
    assert midwatch.show(run)["tally"]["waiting"] == 3
    gate.touch()
    assert midwatch.until_finished(run)["outcome"] == "completed"
