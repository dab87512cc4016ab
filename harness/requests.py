"""Every verb a person has, as a durable row in the inbox; the only way in which `tui` changes anything.

What starts or allows something expires unless a watch accepts it within 30 seconds; what stops or holds is never lost
(R22). A request is put first and the watch started after, so that neither can miss the other.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import RefusedError, WatchError
from harness.identity import this_boot
from harness.lock import Holder, holder
from harness.manners import inside, only_for_a_person, only_its_own, parent
from store import inbox
from store.database import data_version, open_reader, open_requester, unavailable
from store.errors import RecordNotReady, RecordUnavailable
from store.ids import new_id
from store.paths import Places
from store.views import live_runs

if TYPE_CHECKING:
    from harness.surroundings import Surroundings

VERBS_THAT_EXPIRE = frozenset({"launch", "resume", "approve", "retry", "unpause", "forget"})
VERBS_THAT_GRANT = frozenset({"resume", "approve", "unpause", "discard", "retry", "drop", "forget"})
VERBS_THAT_HOLD = frozenset({"stop", "drain", "pause"})
STARTS_A_RUN = frozenset({"launch", "resume"})
CANNOT_BEGIN = 7
"""Exit status of a watch that could not begin, as `harness.__main__` has it."""
_START_WAIT_S = 15.0
_SETTLE_WAIT_S = 120.0  # a watch that is there settles what was cut off first, and reads its journals for that


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What the watch answered. `facts` has the run's id after a launch."""

    request: str
    facts: Mapping[str, Any]

    @property
    def run(self) -> str:
        """The run that was launched or touched."""
        return str(self.facts["run"])


def launch(
    places: Places,
    workflow: str,
    inputs: Mapping[str, str],
    *,
    named_by_path: bool = False,
    folder: Path | None = None,
) -> Answer:
    """Launches the workflow file at the resolved path `workflow`, here or in `folder`; answers with the new run's id.

    The environment, folder, umask and limits of this process become the agents' (R20), handed over in a 0600 file. From
    inside an agent the run belongs to that agent's (R21). Raises `RefusedError` before anything is asked for when a
    program of the workflow is not to be found from here.
    """
    from harness import surroundings

    request_id = new_id()
    captured = surroundings.capture(folder)
    _expect_programs(places, workflow, captured)
    places.prepare()
    surroundings.hand_over(captured, places.handoffs, request_id)
    body = {
        "workflow": workflow,
        "inputs": dict(inputs),
        "folder": captured.cwd,
        "named_by_path": named_by_path and not inside(),  # an agent trusts nothing by naming it
        "parent": parent(),
    }
    return ask(places, "launch", body, request_id=request_id)


def _expect_programs(places: Places, workflow: str, captured: Surroundings) -> None:
    from harness.programs import require_programs
    from harness.settings import load_settings
    from harness.workflow import load_workflow

    settings = load_settings(places.settings)
    require_programs(load_workflow(Path(workflow), settings, prompts=False), settings, captured.env, Path(captured.cwd))


def stop(places: Places, run: str, agent: str | None = None) -> Answer:
    """Ends a run, or one agent of it, now."""
    return ask(places, "stop", {"run": run, "agent": agent})


def forget(places: Places, key: str, why: str | None = None) -> Answer:
    """Nothing is remembered of that credential any more (K3); `why` is the half of a sentence after 'because'."""
    return ask(places, "forget", {"key": key, "why": why})


def drain(places: Places, run: str | None = None, *, minutes: float = 30.0) -> Answer:
    """Starts nothing new in a run (in all, when `run` is `None`) and gives running agents `minutes` to finish."""
    return ask(places, "drain", {"run": run, "minutes": minutes})


def pause(places: Places, run: str | None = None, agent: str | None = None) -> Answer:
    """Holds what has not started: everywhere, in a run, or one agent."""
    return ask(places, "pause", {"run": run, "agent": agent})


def unpause(places: Places, run: str | None = None, agent: str | None = None) -> Answer:
    """Lifts the hold that `pause` of the same scope set."""
    return ask(places, "unpause", {"run": run, "agent": agent})


def resume(places: Places, run: str, agent: str, *, onward: bool = False, tell: str | None = None) -> Answer:
    """Takes one interrupted agent up again, from here; answers with the new run's id (R11).

    `onward`: the waves after it follow. `tell`: what the agent is told instead of midwatch's own words.
    """
    from harness import surroundings

    only_for_a_person("resume")
    request_id = new_id()
    places.prepare()
    surroundings.hand_over(surroundings.capture(), places.handoffs, request_id)
    body = {"run": run, "agent": agent, "onward": onward, "tell": tell}
    return ask(places, "resume", body, request_id=request_id)


def discard(places: Places, run: str) -> Answer:
    """Settles a run that was cut off: nothing of it is offered again; its record and cost stay (R12)."""
    return ask(places, "discard", {"run": run})


def settle(places: Places) -> None:
    """Starts a watch if the record says that something is live and none lives, so that it is settled on return (R8)."""
    if not places.record.exists() or holder(places.watch_lock) is not None:
        return
    connection = open_reader(places.record)
    try:
        unsettled = bool(live_runs(connection))
    finally:
        connection.close()
    if unsettled:
        ensure_watch(places)


def ask(
    places: Places, verb: str, body: Mapping[str, Any], *, request_id: str | None = None, wait: float = 30.0
) -> Answer:
    """The watch's answer to one request, after starting a watch if none lives.

    Raises `RefusedError` with the watch's sentence when it does not apply, and `WatchError` when no watch could be
    started or none answered within `wait` seconds (a verb that holds is then still in the inbox, and says so).
    """
    if verb in VERBS_THAT_GRANT:
        only_for_a_person(verb)
    places.prepare()
    connection = _requester(places)
    try:
        if verb in VERBS_THAT_HOLD:
            only_its_own(connection, verb, body.get("run"))
        asked = _put(places, connection, verb, body, request_id)
        ensure_watch(places)
        return _wait(places, connection, asked, verb, wait)
    except sqlite3.Error as error:
        told = unavailable(places.record, error)
        if verb == "stop":
            raise RecordUnavailable(f"{told}; `midwatch watch --stop` ends everything without it") from error
        raise told from error
    finally:
        connection.close()


def _put(
    places: Places, connection: sqlite3.Connection, verb: str, body: Mapping[str, Any], request_id: str | None
) -> str:
    """The id of the request, durable. What ends or holds something gets the reserve where there is no other room."""
    if verb in VERBS_THAT_EXPIRE:
        return inbox.put(connection, verb, {**body, "boot": this_boot()}, expires=True, id=request_id)
    try:
        return inbox.put(connection, verb, body, expires=False, id=request_id)
    except sqlite3.OperationalError:
        from harness.scribe import give_up_reserve

        if not give_up_reserve(places.record):
            raise
        return inbox.put(connection, verb, body, expires=False, id=request_id)


def _requester(places: Places) -> sqlite3.Connection:
    try:
        return open_requester(places.record)
    except RecordNotReady:
        ensure_watch(places)
        return open_requester(places.record)


def _wait(places: Places, connection: sqlite3.Connection, asked: str, verb: str, wait: float) -> Answer:
    deadline = time.monotonic() + wait
    seen = -1
    while time.monotonic() < deadline:
        version = data_version(connection)
        if version != seen:
            seen = version
            request = inbox.get(connection, asked)
            if request is not None and request.state != "waiting":
                facts = request.answer or {}
                if request.state == "handled":
                    return Answer(request=asked, facts=facts)
                raise RefusedError(str(facts.get("error", f"the watch answered '{request.state}'")))
        elif holder(places.watch_lock) is None:
            ensure_watch(places)
        time.sleep(0.01)
    found = holder(places.watch_lock)
    why = (found and _trouble(found)) or f"see {places.watch_log}"
    if verb in VERBS_THAT_EXPIRE:
        raise WatchError(f"the watch did not take up '{verb}' within {wait:.0f} s; nothing was started ({why})")
    raise WatchError(f"the watch has not answered yet; '{verb}' stays asked and holds ({why})")


def _trouble(watch: Holder) -> str:
    """Why the watch cannot record anything just now; '' when it can."""
    trouble = watch.facts.get("trouble")
    return f"the watch cannot write the record and waits: {trouble}" if trouble else ""


def ensure_watch(places: Places) -> Holder:
    """The watch that lives, after starting one if none did; it has prepared the record when this returns."""
    began = time.monotonic()
    process: subprocess.Popen[bytes] | None = None
    ways: list[tuple[str, ...]] = []
    while True:
        found = holder(places.watch_lock)
        if found is not None and found.facts.get("ready"):
            return found
        if found is None and not ways:
            from harness.logout import ways_to_start

            ways = ways_to_start()
        if found is None and (process is None or process.poll() is not None):
            if process is not None and process.returncode not in (0, None):
                if process.returncode == CANNOT_BEGIN or len(ways) == 1:
                    raise WatchError(_last_words(places))
                ways = ways[1:]  # systemd would not start it so
            process = _start_watch(places, ways[0])
        if found is not None and (trouble := _trouble(found)):
            raise WatchError(trouble)
        wait = _START_WAIT_S if found is None else _SETTLE_WAIT_S
        if time.monotonic() > began + wait:
            raise WatchError(f"the watch did not get ready within {wait:.0f} s; see {places.watch_log}")
        time.sleep(0.01)


def _start_watch(places: Places, way: tuple[str, ...]) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MIDWATCH_")}
    environment.update(places.environment())
    runtime = f"/run/user/{os.getuid()}"
    if way and "XDG_RUNTIME_DIR" not in environment and os.path.isdir(runtime):  # noqa: PTH112
        environment["XDG_RUNTIME_DIR"] = runtime  # where the user's own manager is found, after `su` or from cron
    log = os.open(places.watch_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        return subprocess.Popen(
            [*way, sys.executable, "-P", "-m", "harness"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=environment,
            start_new_session=True,
        )
    finally:
        os.close(log)


def _last_words(places: Places) -> str:
    with contextlib.suppress(OSError):
        lines = places.watch_log.read_text(errors="replace").splitlines()
        said = [line for line in lines[-20:] if line.startswith("midwatch: ")]
        if said:
            return said[-1].removeprefix("midwatch: ")
    return f"the watch could not start; see {places.watch_log}"


def stop_watch(places: Places, *, wait: float = 10.0) -> bool:
    """Whether a watch lived and is gone now: it settles its runs as interrupted and leaves (R15: this is not drain)."""
    only_for_a_person("watch --stop")
    found = holder(places.watch_lock)
    if found is None or found.pid is None:
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(found.pid, signal.SIGTERM)
    deadline = time.monotonic() + wait
    while time.monotonic() < deadline:
        now = holder(places.watch_lock)
        if now is None or now.pid != found.pid:
            return True
        time.sleep(0.02)
    raise WatchError(f"the watch (pid {found.pid}) has not left within {wait:.0f} s; see {places.watch_log}")
