"""Plans as JSON-ready data and back: a run's line carries its plan, so readers need this and not the events."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from store.model import OnFailure, Role, WatchDeath
from store.plan import Plan, PlannedAgent, PlannedWave


def stated_fields(value: object) -> dict[str, Any]:
    """The fields of a dataclass that say something: known, and other than the default."""
    found = {}
    for item in fields(value):  # type: ignore[arg-type]  # only ever called with our dataclasses
        content = getattr(value, item.name)
        if content is not None and content != item.default:
            found[item.name] = content
    return found


def known_fields(kind: type[Any], coded: dict[str, Any]) -> dict[str, Any]:
    """What of `coded` this program's class has a field for; a later midwatch may have written more."""
    names = {item.name for item in fields(kind)}
    return {name: value for name, value in coded.items() if name in names}


def encode_plan(plan: Plan) -> dict[str, Any]:
    """A plan as JSON-ready data; what holds by default is left out."""
    coded = stated_fields(plan)
    coded["waves"] = [
        {**stated_fields(wave), "agents": [stated_fields(agent) for agent in wave.agents]} for wave in plan.waves
    ]
    return coded


def decode_plan(coded: dict[str, Any]) -> Plan:
    """The plan that `encode_plan` wrote."""
    waves = tuple(
        PlannedWave(
            name=wave["name"],
            on_failure=OnFailure(wave.get("on_failure", OnFailure.CONTINUE)),
            agents=tuple(_decode_agent(agent) for agent in wave["agents"]),
        )
        for wave in coded["waves"]
    )
    watch_death = WatchDeath(coded.get("watch_death", WatchDeath.STOP))
    return Plan(**{**known_fields(Plan, coded), "waves": waves, "watch_death": watch_death})


def _decode_agent(coded: dict[str, Any]) -> PlannedAgent:
    typed = {**known_fields(PlannedAgent, coded), "role": Role(coded["role"])}
    if "reject_on" in coded:
        typed["reject_on"] = tuple(coded["reject_on"])
    return PlannedAgent(**typed)
