from __future__ import annotations

import json

import pytest
from markdown_it import MarkdownIt

from store import events as e
from store.model import Outcome, Verdict
from tests.tui.building import Building
from tests.tui.conftest import Midwatch
from tui.answers import LONGEST

SECRET = "sk-very-secret-0123456789"


@pytest.fixture
def run(building: Building, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run that failed in part: one agent answered, one failed, one was never started."""
    monkeypatch.setenv("SHOP_API_KEY", SECRET)
    found = building.launch(at=1_767_225_600_000, inputs={"feature": f"a basket for {SECRET}"})
    building.start(found, "api")
    building.use(found, "api", turns=12, input=1, output=2, cost=1_840_000_000, at=1_767_225_601_000)
    return found


def answered(building: Building, run: str, text: str) -> None:
    data = text.encode()
    path = building.places.journal(run, "api", 1, "answer")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    building.write(e.DelegationReported(run=run, agent="api", attempt=1, answer_bytes=len(data)))


def test_one_document_has_the_run_its_answers_and_its_events(midwatch: Midwatch, building: Building, run: str) -> None:
    answered(building, run, "it is \x1b[31mdone\x1b[0m\nfor good")
    document = midwatch("export", run).json
    assert set(document) == {"midwatch", "exported_at", "run", "answers", "events"}
    assert document["run"]["run"] == run
    (answer,) = document["answers"]
    assert (answer["agent"], answer["attempt"]) == ("api", 1)
    assert "\x1b" not in answer["text"]
    assert answer["text"].endswith("\nfor good")
    assert [event["type"] for event in document["events"]] == [
        event["type"] for event in midwatch("events", run, "--json").json
    ]


@pytest.mark.parametrize("form", ["json", "md"])
def test_secrets_of_this_environment_are_masked_everywhere(
    midwatch: Midwatch, building: Building, run: str, form: str
) -> None:
    answered(building, run, f'I used "{SECRET}" to sign in')
    ran = midwatch("export", run, "--format", form)
    assert ran.status == 0
    assert SECRET not in ran.out
    assert "a basket for" in ran.out


def test_a_long_answer_is_named_and_not_cut(midwatch: Midwatch, building: Building, run: str) -> None:
    answered(building, run, "x" * (LONGEST + 1))
    (answer,) = midwatch("export", run).json["answers"]
    assert (answer["bytes"], answer["text"]) == (LONGEST + 1, None)
    assert f"{LONGEST + 1} bytes, not in this report" in midwatch("export", run, "--format", "md").out


def test_the_report_is_markdown_that_nothing_in_an_answer_breaks(
    midwatch: Midwatch, building: Building, run: str
) -> None:
    answered(building, run, "# not a heading\n```\n| a | b |\n```\n~~~~")
    building.write(
        e.DelegationAccepted(run=run, agent="api", verdict=Verdict.ACCEPTED, quote="GO `now`"),
        e.RunFinished(run=run, outcome=Outcome.COMPLETED, reached_end=True, why="all | done <b>"),
    )
    report = midwatch("export", run, "--format", "md").out
    tokens = MarkdownIt("commonmark").enable("table").parse(report)
    headings = [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "heading_open"]
    assert headings == ["ship: completed", "Inputs", "Wave 1: build", "Wave 2: check", "Answer of api"]
    (fence,) = [token.content for token in tokens if token.type == "fence"]
    assert fence == "# not a heading\n```\n| a | b |\n```\n~~~~\n"
    assert not [token for token in tokens if token.type == "html_block"]
    rows = [token for token in tokens if token.type == "tr_open"]
    assert len(rows) == 5  # two tables with a head each, and three agents


def test_json_and_markdown_at_once_are_refused(midwatch: Midwatch, run: str) -> None:
    ran = midwatch("export", run, "--json", "--format", "md")
    assert ran.status == 2
    assert "cannot both hold" in ran.err
    assert json.loads(midwatch("export", run, "--json").out)["run"]["run"] == run
