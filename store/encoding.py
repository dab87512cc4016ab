"""Events as JSON text and back. Absent keys hold the class's default; unknown ones are ignored, never an error."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from store.events import Event
from store.model import Counts, Outcome, Reason, Verdict
from store.plan_encoding import decode_plan, encode_plan, known_fields, stated_fields

EVENT_TYPES: dict[str, type[Event]] = {kind.type: kind for kind in Event.__subclasses__()}

_ENVELOPE = frozenset({"run", "agent", "at", "id"})
_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


_ENCODE: dict[str, Callable[[Any], Any]] = {
    "plan": encode_plan,
    "counts": stated_fields,
    "files": list,
    "inputs": dict,
    "environment": dict,
}
_DECODE: dict[str, Callable[[Any], Any]] = {
    "plan": decode_plan,
    "counts": lambda coded: Counts(**known_fields(Counts, coded)),
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
