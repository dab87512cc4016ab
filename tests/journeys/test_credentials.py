"""Credentials that died, limits that were reached, patience that was asked for: many agents, one credential (K1–K6)."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.journeys.conftest import Program, agent, until

KEY = {"provider": "acme", "env": "ACME_KEY"}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_KEY", "a-secret-of-acme")


def reporting(name: str, *words: str) -> dict[str, object]:
    return {"name": name, "run": agent(*words), "output": "reports", "credential": KEY}


def error(kind: str, message: str = "401 unauthorized") -> str:
    return "report:" + json.dumps({"report": "error", "kind": kind, "message": message})


def test_forty_agents_on_a_dead_credential_launch_one_cli(midwatch: Program) -> None:
    notes = midwatch.project / "launched"
    agents = [reporting(f"a{number}", f"note:{notes}", error("auth"), "exit:1") for number in range(40)]
    midwatch.workflow("forty", agents, top="[limits]\nparallel = 1")
    run = midwatch.launch("forty")
    shown = midwatch.until_finished(run)
    assert len(notes.read_text().splitlines()) == 1
    assert shown["outcome"] == "blocked" and shown["tally"]["failed"] == 1 and shown["tally"]["not_started"] == 39
    last = midwatch.agent(run, "a39")
    assert last["reason"] == "sign-in" and f"a0 of run {run}, attempt 1" in last["detail"]
    (remembered,) = midwatch.json("credentials")
    assert (remembered["standing"], remembered["agent"]) == ("died", "a0")
    assert "a-secret-of-acme" not in midwatch("credentials")
    again = midwatch.launch("forty")
    midwatch.until_finished(again)
    assert len(notes.read_text().splitlines()) == 1, "remembered for the life of the watch"
    midwatch("credentials", "clear", remembered["key"])
    assert midwatch.json("credentials") == []
    midwatch.until_finished(midwatch.launch("forty"))
    assert len(notes.read_text().splitlines()) == 2
    assert midwatch("audit")


def test_another_key_is_another_credential(midwatch: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = midwatch.project / "launched"
    midwatch.workflow("one", [reporting("a", f"note:{notes}", error("auth"), "exit:1")])
    midwatch.until_finished(midwatch.launch("one"))
    monkeypatch.setenv("ACME_KEY", "a-new-secret-of-acme")
    midwatch.until_finished(midwatch.launch("one"))
    assert len(notes.read_text().splitlines()) == 2
    assert len(midwatch.json("credentials")) == 1, "the old one is forgotten"


def test_a_usage_limit_leaves_the_rest_not_started_and_says_when_it_resets(midwatch: Program) -> None:
    limit = json.dumps(
        {"report": "error", "kind": "usage_limit", "message": "limit reached", "resets_at": "2999-01-01T00:00:00Z"}
    )
    agents = [reporting(name, "report:" + limit, "exit:1") for name in "abc"]
    midwatch.workflow("limit", agents, top="[limits]\nparallel = 1")
    run = midwatch.launch("limit")
    shown = midwatch.until_finished(run)
    assert shown["outcome"] == "blocked" and shown["tally"]["not_started"] == 2
    assert midwatch.agent(run, "b")["reason"] == "usage limit"
    assert "2999-01-01" in midwatch.agent(run, "c")["detail"]


def test_an_overload_is_waited_out_and_the_session_taken_up(midwatch: Program) -> None:
    once = midwatch.project / "once"
    session = json.dumps({"report": "session", "id": "s-1"})
    script = (
        f"test -e {once} && cat && exit 0; touch {once};"
        f" echo '{session}'; echo '{json.dumps({'report': 'error', 'kind': 'overloaded', 'message': '529'})}'; exit 1"
    )
    midwatch.workflow(
        "busy",
        [
            {
                "name": "a",
                "run": ["sh", "-c", script],
                "resume": ["sh", "-c", f"test {{{{ session }}}} = s-1 && {script}"],
                "output": "reports",
                "credential": KEY,
                "prompt": "the task",
            }
        ],
    )
    run = midwatch.launch("busy")
    assert midwatch.until_finished(run)["outcome"] == "completed"
    found = midwatch.agent(run, "a")
    assert [one["session"] for one in found["attempts"]] == ["s-1", "s-1"]
    assert "check which of your last steps" in midwatch("logs", run, "a")
    types = [one["type"] for one in midwatch.json("events", run)]
    assert types.count("delegation.retrying") == 1 and types.count("delegation.failed") == 0
    assert midwatch("audit")


def test_a_stop_ends_what_waits_to_be_tried_again(midwatch: Program) -> None:
    midwatch.workflow("busy", [reporting("a", error("rate_limit", "429"), "exit:1")])
    run = midwatch.launch("busy")
    until(lambda: midwatch.agent(run, "a")["state"] == "delegated" and midwatch.agent(run, "a")["attempts"])
    assert "429" in midwatch.agent(run, "a")["detail"]
    midwatch("stop", run)
    assert midwatch.until_finished(run)["outcome"] == "stopped"
    assert midwatch.agent(run, "a")["state"] == "stopped"


def test_what_waits_to_be_tried_again_is_interrupted_by_a_crash(midwatch: Program) -> None:
    midwatch.workflow("busy", [reporting("a", error("rate_limit", "429"), "exit:1")])
    run = midwatch.launch("busy")
    until(lambda: midwatch.agent(run, "a")["state"] == "delegated" and midwatch.agent(run, "a")["attempts"])
    os.kill(midwatch.watch_pid(), 9)
    assert [one["interrupted"] for one in midwatch.json("recover")] == [["a"]]
    assert midwatch("audit")


def test_a_secret_in_an_error_does_not_reach_the_record(midwatch: Program) -> None:
    midwatch.workflow("leak", [reporting("a", error("auth", "bad key a-secret-of-acme"), "exit:1")])
    midwatch.until_finished(midwatch.launch("leak"))
    until(lambda: midwatch.json("credentials"), what="remembered")
    with closing(sqlite3.connect(f"file:{midwatch.places.record}?mode=ro", uri=True)) as connection:
        kept = "\n".join(str(row) for row in connection.execute("SELECT data FROM events"))
    assert "a-secret-of-acme" not in kept and "bad key ***" in kept
    assert Path(midwatch.places.record).exists()
