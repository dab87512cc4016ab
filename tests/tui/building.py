"""A record with real events in it, for whoever reads one."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from store import events as e
from store.database import open_writer
from store.ids import new_id, new_run_id, now_ms
from store.migrations import migrate
from store.model import Counts, Outcome, Role
from store.paths import Places
from store.plan import Plan, PlannedAgent, PlannedWave
from store.record import Batch, record

PLAN = Plan(
    waves=(
        PlannedWave(
            name="build",
            agents=(
                PlannedAgent(name="api", role=Role.DEVELOPER, cli="claude", model="sonnet"),
                PlannedAgent(name="ui", role=Role.DEVELOPER, cli="codex"),
            ),
        ),
        PlannedWave(
            name="check",
            agents=(PlannedAgent(name="tests", role=Role.TESTER, cli="command", metered=False),),
        ),
    )
)


class Building:
    """Writes into the record of `places` as the watch would."""

    def __init__(self, places: Places) -> None:
        places.prepare()
        self.places = places
        self.connection: sqlite3.Connection = open_writer(places.record)
        migrate(self.connection, places.record, machine="a-machine")

    @classmethod
    def at(cls, home: Path) -> Building:
        """A record in this `MIDWATCH_HOME`."""
        return cls(Places.of_environment({"MIDWATCH_HOME": str(home)}))

    def write(self, *events: e.Event) -> None:
        """Records these events; every one of them must apply."""
        (recorded,) = record(self.connection, [Batch(events=events)])
        assert not recorded.refused, recorded.refused

    def launch(
        self,
        workflow: str = "/flows/ship.toml",
        *,
        plan: Plan = PLAN,
        at: int | None = None,
        inputs: Mapping[str, str] | None = None,
        continues: str | None = None,
    ) -> str:
        """The id of a run that was launched now, its agents handed over and none started."""
        run, moment = new_run_id(), at if at is not None else now_ms()
        name = Path(workflow).stem
        self.write(
            e.RunLaunched(
                run=run,
                at=moment,
                workflow=workflow,
                name=name,
                folder="/work",
                plan=plan,
                digest="0" * 64,
                inputs=inputs or {},
                continues=continues,
            ),
            *(
                e.DelegationDelegated(run=run, agent=agent.name, wave=index, position=position, at=moment)
                for index, wave in enumerate(plan.waves)
                for position, agent in enumerate(wave.agents)
            ),
        )
        return run

    def start(self, run: str, agent: str, *, session: str | None = None, pid: int = 4711) -> None:
        """The agent has a process."""
        self.write(
            e.DelegationStarted(run=run, agent=agent, attempt=1, attempt_id=new_id(), cli="claude", session=session),
            e.AttemptStarted(run=run, agent=agent, attempt=1, pid=pid, start_ticks=1, boot="boot", namespace=1),
        )

    def use(self, run: str, agent: str, *, turns: int = 0, at: int | None = None, **counts: int) -> None:
        """The agent used this much; costs in nano-dollars."""
        self.write(
            e.UsageRecorded(
                run=run,
                agent=agent,
                attempt=1,
                turns=turns,
                counts=Counts(**counts),
                model="sonnet",
                at=at if at is not None else now_ms(),
            )
        )

    def end(self, run: str, agent: str, exit_code: int = 0) -> None:
        """The agent's process ended."""
        self.write(e.AttemptEnded(run=run, agent=agent, attempt=1, exit_code=exit_code, result="success"))

    def done(self, run: str, *agents: str) -> None:
        """These agents start, end and are done."""
        for agent in agents:
            self.start(run, agent)
        self.done_already(run, *agents)

    def done_already(self, run: str, *agents: str) -> None:
        """These agents, which have started, end and are done."""
        for agent in agents:
            self.end(run, agent)
            self.write(
                e.DelegationReported(run=run, agent=agent, attempt=1),
                e.DelegationAccepted(run=run, agent=agent, files=("a.py",)),
            )

    def finish(self, run: str, outcome: Outcome, why: str = "because", *, at: int | None = None) -> None:
        """The run ended so."""
        self.write(
            e.RunFinished(run=run, outcome=outcome, reached_end=True, why=why, at=at if at is not None else now_ms())
        )

    def finished(self, outcome: Outcome = Outcome.COMPLETED, workflow: str = "/flows/ship.toml") -> str:
        """The id of a run that was launched and ended so, with all its agents done."""
        run = self.launch(workflow)
        self.done(run, *(agent.name for wave in PLAN.waves for agent in wave.agents))
        self.finish(run, outcome)
        return run
