"""What is read of Hermes Agent, and how it is started."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.agents import adapter
from harness.agents.base import Beside, Brief
from harness.agents.hermes_usage import MAX_TURNS, HermesUsage
from harness.reports import Report, Result, Turn, Usage
from store.model import Counts
from tests.harness.agents.recordings import billed_without_writes, counted, lines, names, reports, said

CLI = "hermes"

SAID = {
    "success": ["model fake-model", "turn", "turn", "result"],
    "unauthorized": ["turn", "result error"],
    "rate_limited": ["turn", "result error"],
    "interrupted": ["result error"],
}


def test_every_recording_is_expected_here() -> None:
    assert names(CLI) == sorted(SAID)


@pytest.mark.parametrize("name", SAID)
def test_says_what_happened(name: str) -> None:
    assert said(reports(CLI, name)) == SAID[name]


def test_counts_what_the_model_billed() -> None:
    (row,) = counted(reports(CLI, "success")).values()
    assert (row.model, row.counts) == ("fake-model", billed_without_writes(CLI, "success"))


@pytest.mark.parametrize("name", ["unauthorized", "interrupted"])
def test_what_it_does_not_tell_is_unknown(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert row.counts == Counts()


def test_its_output_is_the_answer_and_is_not_read() -> None:
    assert not HermesUsage().read(lines(CLI, "unauthorized")[0])


@pytest.mark.parametrize("content", [None, "", "[]", '{"failed": 5}', "{" * 100_000])
def test_an_attempt_that_wrote_no_usage_has_used_nobody_knows_what(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "usage"
    if content is not None:
        path.write_text(content)
    assert HermesUsage(Beside(usage=path)).end() == (Usage(counts=Counts()),)
    assert HermesUsage().end() == (Usage(counts=Counts()),)


def _told(tmp_path: Path, **told: object) -> list[Report]:
    (tmp_path / "usage").write_text(json.dumps({"failed": False, **told}))
    return list(HermesUsage(Beside(usage=tmp_path / "usage")).end())


@pytest.mark.parametrize(
    ("status", "cost"), [("unknown", None), (None, None), ([], None), ("estimated", 5_000_000), ("actual", 5_000_000)]
)
def test_a_cost_counts_only_where_it_is_known(tmp_path: Path, status: object, cost: int | None) -> None:
    (usage,) = [one for one in _told(tmp_path, cost_status=status, estimated_cost_usd=0.005) if isinstance(one, Usage)]
    assert usage.counts.cost == cost


@pytest.mark.parametrize(
    ("told", "result"),
    [
        ({"completed": True}, Result(ok=True)),
        ({"failed": True, "failure": "it broke"}, Result(ok=False, error="it broke")),
    ],
)
def test_results(tmp_path: Path, told: dict[str, object], result: Result) -> None:
    assert _told(tmp_path, **told)[-1] == result


def test_work_that_was_not_completed_has_failed(tmp_path: Path) -> None:
    last = _told(tmp_path, completed=False)[-1]
    assert isinstance(last, Result)
    assert not last.ok


@pytest.mark.parametrize("calls", [10**9, -1, "5", None, 1.5])
def test_turns_are_bounded(tmp_path: Path, calls: object) -> None:
    turns = sum(isinstance(report, Turn) for report in _told(tmp_path, api_calls=calls))
    assert turns == (MAX_TURNS if calls == 10**9 else 0)


class TestInvoke:
    BRIEF = Brief(
        prompt="secret plan",
        attempt_session="11111111-1111-4111-8111-111111111111",
        prompt_file=Path("/private/a.prompt"),
        usage_file=Path("/private/a.usage"),
    )

    def test_one_line_names_the_file_of_the_prompt(self) -> None:
        argv = adapter("hermes").invoke(self.BRIEF).argv
        assert argv[:4] == ("hermes", "--usage-file", "/private/a.usage", "-z")
        assert "'/private/a.prompt'" in argv[4]
        assert len(argv[4].splitlines()) == 1

    def test_a_model(self) -> None:
        argv = adapter("hermes").invoke(replace(self.BRIEF, model="acme/large", usage_file=None)).argv
        assert argv[:4] == ("hermes", "--model", "acme/large", "-z")

    def test_its_credential_has_no_shape(self) -> None:
        assert adapter("hermes").credential({"HOME": "/home/one", "OPENAI_API_KEY": "k"}) is None
