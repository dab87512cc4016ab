"""Events as JSON text and back. Absent keys hold the class's default; unknown ones are ignored, never an error."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from store.events import Event
from store.model import (
    Counts,
    OnFailure,
    Outcome,
    Plan,
    PlannedAgent,
    PlannedWave,
    Reason,
    Role,
    Verdict,
    WatchDeath,
)

EVENT_TYPES: dict[str, type[Event]] = {kind.type: kind for kind in Event.__subclasses__()}

_ENVELOPE = frozenset({"run", "agent", "at", "id"})
_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def _slots(value: object) -> dict[str, Any]:
    found = {}
    for item in fields(value):  # type: ignore[arg-type]  # only ever called with our dataclasses
        content = getattr(value, item.name)
        if content is not None and content != item.default:
            found[item.name] = content
    return found


def encode_plan(plan: Plan) -> dict[str, Any]:
    """A plan as JSON-ready data; what holds by default is left out."""
    coded = _slots(plan)
    coded["waves"] = [{**_slots(wave), "agents": [_slots(agent) for agent in wave.agents]} for wave in plan.waves]
    return coded


def _known(kind: type[Any], coded: dict[str, Any]) -> dict[str, Any]:
    names = {item.name for item in fields(kind)}
    return {name: value for name, value in coded.items() if name in names}


def _decode_agent(coded: dict[str, Any]) -> PlannedAgent:
    typed = {**_known(PlannedAgent, coded), "role": Role(coded["role"])}
    if "reject_on" in coded:
        typed["reject_on"] = tuple(coded["reject_on"])
    return PlannedAgent(**typed)


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
    return Plan(**{**_known(Plan, coded), "waves": waves, "watch_death": watch_death})


_ENCODE: dict[str, Callable[[Any], Any]] = {
    "plan": encode_plan,
    "counts": _slots,
    "files": list,
    "inputs": dict,
    "environment": dict,
}
_DECODE: dict[str, Callable[[Any], Any]] = {
    "plan": decode_plan,
    "counts": lambda coded: Counts(**_known(Counts, coded)),
    "files": tuple,
    "outcome": Outcome,
    "reason": Reason,
    "asked": Reason,
    "verdict": Verdict,
}

_OWN_FIELDS: dict[str, tuple[tuple[str, Any], ...]] = {
    name: tuple(
        (item.name, None if item.default is MISSING else item.default)
        for item in fields(kind)
        if item.name not in _ENVELOPE
    )
    for name, kind in EVENT_TYPES.items()
}


def encode(event: Event) -> str:
    """What is particular to this event as compact JSON text; its envelope has columns of its own."""
    coded = {}
    for name, default in _OWN_FIELDS[event.type]:
        value = getattr(event, name)
        if value is None or value == default:
            continue
        coder = _ENCODE.get(name)
        coded[name] = coder(value) if coder is not None else value
    if not coded:
        return "{}"
    return _dumps(coded).encode(errors="backslashreplace").decode()  # half of a surrogate pair becomes its JSON escape


def decode(*, type: str, id: str, at: int, run: str | None, agent: str | None, data: str) -> Event:  # noqa: A002  # the columns' own names
    """The event of these columns. Raises `KeyError` for a type that this program does not know."""
    kind = EVENT_TYPES[type]
    coded = json.loads(data)
    own = {}
    for name, _ in _OWN_FIELDS[type]:
        if name in coded:
            decoder = _DECODE.get(name)
            own[name] = decoder(coded[name]) if decoder is not None else coded[name]
    return kind(id=id, at=at, run=run, agent=agent, **own)
