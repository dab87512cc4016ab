"""What the recovery screen asks of the watch. Called in a thread: a watch may have to be started first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.errors import StoreError

if TYPE_CHECKING:
    from store.paths import Places


def settle(places: Places) -> str:
    """Why what was cut off could not be settled, or '': it was, or there was nothing (R8)."""
    from harness import requests
    from harness.errors import HarnessError

    try:
        requests.settle(places)
    except (HarnessError, StoreError) as problem:
        return str(problem)
    return ""


def take_up(places: Places, run: str, agent: str, *, onward: bool, tell: str | None) -> tuple[str, str]:
    """The new run's id and '', or '' and why the agent was not taken up."""
    from harness import requests
    from harness.errors import HarnessError

    try:
        return requests.resume(places, run, agent, onward=onward, tell=tell).run, ""
    except (HarnessError, StoreError) as problem:
        return "", str(problem)


def give_up(places: Places, run: str) -> str:
    """Why the run was not discarded, or ''."""
    from harness import requests
    from harness.errors import HarnessError

    try:
        requests.discard(places, run)
    except (HarnessError, StoreError) as problem:
        return str(problem)
    return ""
