"""A process that writes to a record, for the tests that race several or kill one.

python writing_child.py migrate RECORD         opens and migrates it when a line comes in
python writing_child.py start RECORD RUN N     starts the agents agent-0 … of RUN, prints how many were its own
python writing_child.py record RECORD SEED     records runs, for ever, in batches of any size
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

from store import events as e
from store.database import open_writer
from store.ids import new_id, new_run_id
from store.migrations import migrate
from store.model import Counts, Outcome, Reason
from store.plan import Plan
from store.record import Batch, record


def _life(run: str, chance: random.Random) -> Iterator[e.Event]:
    yield e.RunLaunched(run=run, workflow="/w/ship.toml", name="ship", folder="/w", plan=Plan(waves=()), digest="d")
    agents = [f"agent-{number}" for number in range(6)]
    for position, agent in enumerate(agents):
        yield e.DelegationDelegated(run=run, agent=agent, position=position)
    for agent in agents:
        yield e.DelegationStarted(run=run, agent=agent, attempt=1, attempt_id=new_id(), cli="claude")
        for number in range(chance.randrange(4)):
            counts = Counts(input=chance.randrange(1000), cost=chance.randrange(1000))
            yield e.UsageRecorded(run=run, agent=agent, attempt=1, turns=1, counts=counts, request=f"q{number % 2}")
        if chance.random() < 0.3:
            yield e.DelegationStopping(run=run, agent=agent, reason=Reason.OPERATOR)
            yield e.DelegationStopped(run=run, agent=agent, reason=Reason.OPERATOR)
        else:
            yield e.AttemptEnded(run=run, agent=agent, attempt=1, exit_code=0)
            yield e.DelegationReported(run=run, agent=agent, attempt=1)
            yield e.DelegationAccepted(run=run, agent=agent)
    yield e.RunFinished(run=run, outcome=Outcome.COMPLETED, reached_end=True, why="done")


def _record_for_ever(path: Path, seed: int) -> None:
    connection, chance = open_writer(path), random.Random(seed)
    connection.execute("PRAGMA wal_autocheckpoint=20")  # so that a kill meets checkpoints too
    while True:
        events = list(_life(new_run_id(), chance))
        while events:
            size = chance.randint(1, 5)
            record(connection, [Batch(events=events[:size])])
            del events[:size]


def _start_all(path: Path, run: str, agents: int) -> None:
    connection = open_writer(path)
    _ready()
    mine = 0
    for number in range(agents):
        started = e.DelegationStarted(run=run, agent=f"agent-{number}", attempt=1, attempt_id=new_id(), cli="claude")
        (recorded,) = record(connection, [Batch(events=(started,))])
        mine += len(recorded.applied)
    print(mine)


def _migrate(path: Path) -> None:
    _ready()
    migrate(open_writer(path), path, machine="this-machine")


def _ready() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["migrate", path]:
            _migrate(Path(path))
        case ["start", path, run, agents]:
            _start_all(Path(path), run, int(agents))
        case ["record", path, seed]:
            _record_for_ever(Path(path), int(seed))
