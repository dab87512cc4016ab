from __future__ import annotations

import pytest

from store.ids import now_ms
from store.model import Outcome
from store.usage import NANO
from tests.tui.building import Building
from tests.tui.conftest import Midwatch

DAY = 86_400_000


@pytest.fixture
def used(building: Building) -> list[str]:
    """Two runs: one of three days ago with reported money, one of now with an estimate and something unknown."""
    old = building.launch("/flows/old.toml", at=now_ms() - 3 * DAY)
    building.start(old, "api")
    building.use(old, "api", input=1000, output=10, cost=2 * NANO, at=now_ms() - 3 * DAY)
    building.finish(old, Outcome.COMPLETED)
    new = building.launch("/flows/new.toml")
    building.start(new, "api")
    building.use(new, "api", input=500, output=5, estimated=NANO // 2)
    building.use(new, "api", output=7)
    building.finish(new, Outcome.COMPLETED)
    return [old, new]


def test_without_a_record_nothing_was_used(midwatch: Midwatch) -> None:
    assert midwatch("usage").err == "nothing was used\n"
    document = midwatch("usage", "--json").json
    assert document["lines"] == []
    assert document["all"]["cost"] == {"usd": None, "at_least": False, "partial": False, "estimated_usd": None}


@pytest.mark.usefixtures("used")
def test_sums_say_what_is_unknown_and_what_is_estimated(midwatch: Midwatch) -> None:
    out = midwatch("usage").out
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines()}
    assert rows["old"][:4] == ["1", "$2.00", "1.0k", "10"]
    assert rows["new"][:4] == ["1", "$0.50+", "500+", "12"]
    assert rows["all"][:3] == ["$2.50+", "1.5k+", "22"]
    assert "$0.50 of it is estimated" in out
    assert "not bills" in out.replace("\n", " ")


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        ("workflow", ["/flows/new.toml", "/flows/old.toml"]),
        ("model", ["sonnet"]),
    ],
)
@pytest.mark.usefixtures("used")
def test_usage_is_grouped_as_asked(midwatch: Midwatch, by: str, keys: list[str]) -> None:
    document = midwatch("usage", "--by", by, "--json").json
    assert document["by"] == by
    assert [line["key"] for line in document["lines"]] == keys
    assert document["all"]["cost"]["usd"] == 2.5
    assert document["all"]["usage"]["turns"] is None


def test_usage_by_run_and_agent(midwatch: Midwatch, used: list[str]) -> None:
    old, new = used
    assert [one["key"] for one in midwatch("usage", "--by", "run", "--json").json["lines"]] == [new, old]
    assert [one["key"] for one in midwatch("usage", "--by", "agent", "--json").json["lines"]] == [
        f"{new}/api",
        f"{old}/api",
    ]
    assert f"{new[:8]} new" in midwatch("usage", "--by", "run").out


@pytest.mark.parametrize("since", ["2d", "24h", "1h30m"])
@pytest.mark.usefixtures("used")
def test_since_leaves_out_what_is_older(midwatch: Midwatch, since: str) -> None:
    document = midwatch("usage", "--since", since, "--json").json
    assert [line["key"] for line in document["lines"]] == ["/flows/new.toml"]
    assert document["all"]["cost"]["usd"] == 0.5


@pytest.mark.usefixtures("used")
def test_since_takes_a_date(midwatch: Midwatch) -> None:
    assert len(midwatch("usage", "--since", "2000-01-01", "--json").json["lines"]) == 2
    assert midwatch("usage", "--since", "2999-01-01", "--json").json["lines"] == []


@pytest.mark.parametrize("since", ["yesterday-ish", "7", "-7d", "2026-13-01"])
def test_since_that_means_nothing_is_wrong_usage(midwatch: Midwatch, since: str) -> None:
    assert midwatch("usage", f"--since={since}").status == 2


def test_groups_with_a_live_run_are_partial(midwatch: Midwatch, building: Building, used: list[str]) -> None:
    live = building.launch("/flows/live.toml")
    building.start(live, "api")
    building.use(live, "api", cost=1)
    partial = {
        line["key"]: line["cost"]["partial"] for line in midwatch("usage", "--by", "run", "--json").json["lines"]
    }
    assert partial == {live: True, used[0]: False, used[1]: False}
    assert midwatch("usage", "--json").json["all"]["cost"]["partial"]
    assert "partial" in midwatch("usage").out
