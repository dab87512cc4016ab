"""The adapter of Copilot CLI with the real Copilot CLI: what it starts, what it reads, what it counts."""

from __future__ import annotations

import time
import uuid
from hashlib import sha256
from pathlib import Path

import pytest

from harness.agents import adapter
from harness.ledger import Ledger
from harness.reports import ErrorKind, File, Tool
from store.model import Counts
from tests.real.attempt import Ask, asking, printed_version
from tests.real.model import FakeModel
from tests.real.npm import installed

COPILOT = adapter("copilot")
KEY = "sk-test-not-a-key"
SHELL = ("shell",)


@pytest.fixture(scope="session")
def program() -> Path:
    return installed("@github/copilot", COPILOT.tested, ".bin/copilot")


@pytest.fixture
def env(terminal: dict[str, str], model: FakeModel) -> dict[str, str]:
    return {
        **terminal,
        "COPILOT_PROVIDER_BASE_URL": f"{model.base}/v1",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "fake-model",
        "COPILOT_OFFLINE": "true",
    }


@pytest.fixture
def ask(start: Ask, program: Path, env: dict[str, str]) -> Ask:
    return asking(start, COPILOT, program, env)


@pytest.mark.long
def test_it_is_the_version_that_the_reader_is_tested_on(program: Path, terminal: dict[str, str]) -> None:
    assert printed_version(COPILOT, program, terminal) == COPILOT.tested


def test_success_with_a_tool_call_and_a_written_file(ask: Ask, model: FakeModel, tmp_path: Path) -> None:
    attempt = ask("[[tool:bash echo hi > made.txt]] [[tool:write other.txt hello]] [[say:all done]]", allow=SHELL)
    assert attempt.end() == 0
    assert (attempt.result.ok, attempt.result.text, attempt.result.denied) == (True, "all done", ())
    assert attempt.session == attempt.invocation.session
    assert (tmp_path / "project/made.txt").read_text() == "hi\n"
    assert Tool(name="bash", detail="echo hi > made.txt") in attempt.reports()
    assert File(path=str(tmp_path / "project/other.txt")) in attempt.reports()
    assert attempt.turns == len(model.requests()) == 3
    assert (attempt.row.model, attempt.row.counts) == ("fake-model", model.billed_without_writes())
    assert not attempt.row.at_least


def test_cache_writes_where_the_protocol_tells_them(ask: Ask, env: dict[str, str], model: FakeModel) -> None:
    there = {**env, "COPILOT_PROVIDER_TYPE": "anthropic", "COPILOT_PROVIDER_BASE_URL": model.base}
    attempt = ask("[[say:ok]]", env=there)
    assert attempt.end() == 0
    assert attempt.row.counts == model.billed()


def test_a_large_prompt_comes_whole_from_a_file(ask: Ask) -> None:
    attempt = ask("x " * 50_000 + "[[say:read it all]]")
    assert attempt.end() == 0
    assert attempt.result.text == "read it all"


def test_a_tool_that_nobody_allows_is_denied_and_said(ask: Ask, tmp_path: Path) -> None:
    attempt = ask("""[[tool:bash python3 -c 'open("made.txt", "w")']] [[say:tried]]""")
    assert attempt.end() == 0
    assert (attempt.result.ok, attempt.result.denied) == (True, ("bash",))
    assert not (tmp_path / "project/made.txt").exists()


def test_a_refused_sign_in(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:401]]")
    assert attempt.end() == 1
    assert not attempt.result.ok
    assert attempt.failures == [*[(ErrorKind.AUTH, True)] * 3, (ErrorKind.AUTH, False)]
    assert model.statuses() == [401, 401, 401]
    assert attempt.row.counts == model.billed_without_writes()


def test_no_sign_in_at_all(ask: Ask, terminal: dict[str, str]) -> None:
    attempt = ask("[[say:never]]", env=terminal)
    assert attempt.end() == 1
    assert (attempt.result.ok, attempt.failures) == (False, [(ErrorKind.AUTH, False)])


def test_a_rate_limit_that_passes(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:429x1]] [[say:fine]]")
    assert attempt.end() == 0
    assert attempt.result.text == "fine"
    assert attempt.failures == [(ErrorKind.RATE_LIMIT, True)]
    assert attempt.row.counts == model.billed_without_writes()


@pytest.mark.long
def test_a_rate_limit_that_does_not(ask: Ask) -> None:
    attempt = ask("[[status:429]]")
    assert attempt.end(seconds=300) == 1
    assert attempt.failures[-1][0] is ErrorKind.RATE_LIMIT


def test_killed_in_mid_turn_and_taken_up_by_its_exact_id(ask: Ask, env: dict[str, str], model: FakeModel) -> None:
    """What the first attempt had used is told once, with the second (U4)."""
    first = ask("[[tool:bash echo one]] [[stall:60]] [[say:never]]", allow=SHELL)
    saved = Path(env["HOME"]) / f".copilot/session-state/{first.invocation.session}/events.jsonl"
    first.until(
        lambda: len(model.requests()) == 2 and saved.exists() and "tool.execution_complete" in saved.read_text()
    )
    first.kill()
    assert first.row.counts == Counts()
    second = ask("[[say:went on]]", session=first.invocation.session)
    assert second.end() == 0
    assert (second.session, second.result.text) == (first.invocation.session, "went on")
    assert model.requests()[2]["messages"] > model.requests()[0]["messages"], "the history was not there"
    least, most = model.billed_without_writes(since=2), model.billed_without_writes()
    assert (least.input or 0) <= (second.row.counts.input or 0) <= (most.input or 0)


def test_a_session_that_is_taken_up_counts_only_what_is_new(ask: Ask, model: FakeModel) -> None:
    first = ask("[[say:one]]")
    assert first.end() == 0
    ledger = Ledger()
    first.rows(ledger)
    second = ask("[[say:two]]", session=first.session)
    assert second.end() == 0
    (row,) = second.rows(Ledger(ledger.session_totals)).values()
    assert row.counts == model.billed_without_writes(since=1)


def test_a_session_that_is_gone_is_told_and_costs_nothing(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[say:never]]", session=str(uuid.uuid4()))
    assert attempt.end() == 1
    assert attempt.result.session_gone
    assert model.requests() == []
    assert attempt.row.counts.cost == 0


def test_the_polite_signal_lets_it_say_what_it_has_used(ask: Ask, model: FakeModel) -> None:
    """Its real program writes the file after what npm installs has ended, so this waits for the file."""
    attempt = ask("[[tool:bash echo one]] [[stall:60]] [[say:never]]", allow=SHELL)
    attempt.until(lambda: len(model.requests()) == 2)
    attempt.signal_group(COPILOT.polite)
    written, deadline = attempt.out.with_suffix(".usage"), time.monotonic() + 20
    while not written.exists() or not written.read_text().rstrip().endswith("}"):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert (attempt.row.counts.input, attempt.row.at_least) == (130, True)


def test_the_credential_that_has_a_shape_is_the_one_it_uses(ask: Ask, env: dict[str, str], model: FakeModel) -> None:
    secrets = {"COPILOT_PROVIDER_BEARER_TOKEN": "a token of its own", "COPILOT_PROVIDER_API_KEY": KEY}
    there = {**env, **secrets, "GH_TOKEN": "passed over"}
    attempt = ask("[[say:ok]]", env=there)
    attempt.until(lambda: bool(model.requests()))
    shape = COPILOT.credential(there)
    assert shape is not None
    assert model.requests()[0]["cred"] == sha256(secrets[shape.place].encode()).hexdigest()[:8]
