"""An event as consumers outside get it: one JSON object, its fields those of `events --json`, its secrets masked.

Beside them stand `workflow` (the label), `folder`, and `text`: one line for a person, which chat services show.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from harness.masking import mask
from harness.nearest import harmless
from store.log import Stored
from store.outbox import Leased

NOTICED = frozenset(
    {"run.finished", "run.restored", "delegation.failed", "delegation.blocked", "approval.requested"},
)
"""What a person is told of."""

_LONGEST_TEXT = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """`id` is the event's: the idempotency key. `body` is JSON in UTF-8."""

    id: str
    body: bytes


def message_of(leased: Leased, secrets: Collection[str]) -> Message:
    """The message for an event."""
    event = leased.event
    document = {
        "id": event.id,
        "seq": event.seq,
        "at": _iso(event.at),
        "type": event.type,
        "run": event.run,
        "agent": event.agent,
        "workflow": leased.workflow,
        "folder": leased.folder,
        "from": event.from_state,
        "to": event.to_state,
        "data": event.data,
        "text": text_of(event, leased.workflow or "midwatch"),
    }
    return Message(id=event.id, body=json.dumps(_masked(document, secrets)).encode())


def text_of(event: Stored, workflow: str) -> str:
    """The event in one line, cut where it is long: `data` has the whole of it."""
    data = event.data
    match event.type:
        case "run.finished":
            said = f"{data.get('outcome')}: {data.get('why')}"
        case "run.restored":
            said = "it was cut off; `midwatch recover` shows what waits for you"
        case "delegation.failed":
            said = f"{event.agent} failed: {data.get('detail')}"
        case "delegation.blocked":
            said = f"{event.agent} could not proceed: {data.get('detail')}"
        case "approval.requested":
            said = f"{event.agent} asks for approval"
        case _:
            said = event.type
    line = harmless(" ".join(f"{workflow}: {said}".split()))
    return line if len(line) <= _LONGEST_TEXT else line[: _LONGEST_TEXT - 1] + "…"


def _masked(value: Any, secrets: Collection[str]) -> Any:
    """Before it becomes JSON, whose escapes would hide a secret from its mask."""
    if isinstance(value, str):
        return mask(value, secrets)
    if isinstance(value, dict):
        return {key: _masked(one, secrets) for key, one in value.items()}
    return [_masked(one, secrets) for one in value] if isinstance(value, list) else value


def _iso(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
