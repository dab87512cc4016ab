"""One live run: plan, admit, launch, listen, settle.

Messages come in one queue and are taken together: what they mean is worked out on the run as folded so far, written in
one commit, and only then acted on.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence

from harness import messages as m
from harness import obeying, planner, settling, signing_in, stopping
from harness.admission import admit, gate_of_agent, gate_of_run
from harness.at_work import AtWork
from harness.course import Course
from harness.credentials import Credentials
from harness.full_disk import when_there_is_room
from harness.hand_over import HandOver
from harness.supervisor import Supervisor
from store import events as e
from store.fold import Folded
from store.ids import new_id, now_ms
from store.model import Reason
from store.outcome import resolve
from store.plan import PlannedAgent
from store.record import Batch, Recorded
from store.run import Run

Record = Callable[[Sequence[Batch]], Awaitable[list[Recorded]]]
_log = logging.getLogger("midwatch.conductor")


class LostRun(Exception):
    """The record does not follow what this conductor did: another watch has settled the run, or something is broken."""


class Conductor:
    """Conducts one run from its launch to whatever ends it."""

    def __init__(
        self,
        *,
        folded: Folded,
        hand_over: HandOver,
        supervisor: Supervisor,
        record: Record,
        harness_paused: Callable[[], bool],
        clock: Callable[[], float],
        recorded: Callable[[Conductor], None],
        credentials: Credentials,
    ) -> None:
        self.course = Course(folded, credentials, masked=hand_over.masking())
        self._hand_over = hand_over
        self._supervisor = supervisor
        self._record = record
        self._harness_paused = harness_paused
        self._clock = clock
        self._recorded = recorded

    @property
    def run(self) -> Run:
        """The run as it stands."""
        return self.course.run

    async def conduct(self) -> None:
        """Returns when the run has finished and is recorded so; raises `LostRun` when the record says otherwise."""
        course = self.course
        course.put(m.Look())
        while course.run.live:
            for message in await course.messages():
                self._take(message)
            self._plan()
            batches, acts = course.taken()
            if batches:
                self._check(batches, await self._record(batches))
                self._recorded(self)
            for act in acts:
                act()

    def _check(self, batches: Sequence[Batch], recorded: Sequence[Recorded]) -> None:
        """Raises `LostRun` when a change of state was refused: what this leads to must not be started (E6)."""
        for batch, one in zip(batches, recorded, strict=True):
            if one.stale and batch.events:
                raise LostRun(f"run {self.run.id} is not ours to conduct: another watch has answered what was asked")
            for refusal in one.refused:
                _log.error("run %s: %s was refused: %s", self.run.id, refusal.event.type, refusal.why)
                if refusal.event.type.startswith(("run.", "wave.", "delegation.")):
                    raise LostRun(f"run {self.run.id} is not ours to conduct: {refusal.why}")

    def _take(self, message: m.Message) -> None:
        course = self.course
        match message:
            case m.Prepared():
                self._prepared(message)
            case m.Started():
                self._started(message)
            case m.Refused(agent=agent, error=error):
                settling.refused(course, agent, error)
            case m.Lines(agent=agent, lines=lines):
                self._lines(agent, lines)
            case m.SignOfLife(agent=agent):
                if agent in course.at_work:
                    course.at_work[agent].spoke()
            case m.OverLimit(agent=agent):
                stopping.end_agent(course, agent, Reason.OUTPUT_LIMIT, "it printed more than its output limit")
            case m.Gone():
                settling.gone(course, self._hand_over, message)
            case m.Reviewed():
                settling.reviewed(course, message)
            case m.Again(agent=agent, taken_up=taken_up):
                course.asked_again.discard(agent)
                course.again[agent] = taken_up
            case m.Asked():
                obeying.obey(course, message)
            case m.Interrupt():
                stopping.interrupt(course)
            case m.Stuck(agent=agent):
                stopping.stuck(course, agent)
            case m.ParentStopped(why=why):
                if course.run.live and course.run.halted is None:
                    stopping.halt(course, Reason.PARENT, why)
            case m.Below(run=run, agent=agent, spent=spent):
                course.below[run] = (agent, spent)
                self._close_gates(agent)
            case m.Look():
                stopping.look(course, now=now_ms())

    def _plan(self) -> None:
        course, run = self.course, self.run.id
        while (following := planner.next_step(course.run)) is not None:
            match following:
                case planner.StartWave(wave=wave, name=name):
                    course.emit(e.WaveStarted(run=run, wave=wave, name=name))
                case planner.Halt(reason=reason, detail=detail):
                    stopping.halt(course, reason, detail)
                case planner.Abandon(agents=agents, reason=reason, detail=detail):
                    for agent in agents:
                        stopping.abandon(course, agent, reason, detail)
                case planner.Finish(reached_end=reached_end):
                    found = resolve(course.run)
                    course.emit(e.RunFinished(run=run, outcome=found.outcome, reached_end=reached_end, why=found.why))
                case planner.Launch(agents=agents):
                    if not self._launch(agents):
                        return

    def _launch(self, wanting: Sequence[str]) -> bool:
        """Whether anything changed, so that planning goes on."""
        course = self.course
        gate = gate_of_run(course.run, now=now_ms(), below=course.spent_below())
        if gate is not None:
            stopping.halt(course, gate.reason, gate.detail)
            return True
        paused = course.interrupting or self._harness_paused()
        admitted = admit(course.run, wanting, harness_paused=paused).agents
        changed = False
        for agent in admitted:
            planned = course.run.plan.agent(agent)
            may = signing_in.may_start(course, self._hand_over, planned)
            if may:
                self._start(planned)
            changed = changed or may is not False
        return changed

    def _start(self, planned: PlannedAgent) -> None:
        course = self.course
        attempt = len(course.run.delegations[planned.name].attempts) + 1
        work = self._hand_over.begin(
            course.run,
            planned,
            attempt=attempt,
            attempt_id=new_id(),
            clock=self._clock,
            again=course.again.pop(planned.name, None),
        )
        course.at_work[planned.name] = work
        course.emit(
            e.DelegationStarted(
                run=course.run.id,
                agent=planned.name,
                attempt=attempt,
                attempt_id=work.attempt_id,
                cli=planned.cli,
                session=work.session,
                deadline=None if planned.timeout is None else now_ms() + int(planned.timeout * 1000),
            )
        )
        run = course.run
        course.act_apart(lambda: self._prepare(work, run))

    async def _prepare(self, work: AtWork, run: Run) -> None:
        try:
            order = await when_there_is_room(work, lambda: self._hand_over.order(run, work))
        except Exception as error:  # whatever a prompt or a folder does wrong is this agent's failure, not the run's
            self.course.put(m.Refused(agent=work.agent, error=self._hand_over.explain(error)))
        else:
            self.course.put(m.Prepared(agent=work.agent, order=order))

    def _prepared(self, message: m.Prepared) -> None:
        course = self.course
        work = course.at_work.get(message.agent)
        if work is None:  # it was asked to end before it had a process
            return
        work.launched = True
        work.spoke()
        sink = m.AgentSink(agent=message.agent, put=course.put)

        def launch() -> None:
            work.kept = self._supervisor.launch(message.order, sink)

        course.act(launch)

    def _started(self, message: m.Started) -> None:
        work = self.course.at_work.get(message.agent)
        if work is None:
            return
        identity = message.identity
        self.course.emit(
            e.AttemptStarted(
                run=self.run.id,
                agent=message.agent,
                attempt=work.attempt,
                pid=identity.pid,
                start_ticks=identity.start_ticks,
                boot=identity.boot,
                namespace=identity.namespace,
            )
        )

    def _lines(self, agent: str, lines: Sequence[bytes]) -> None:
        course = self.course
        work = course.at_work.get(agent)
        if work is None:
            return
        events = work.reading.read(lines)
        for event in events:
            course.emit(event)
        signing_in.listen(course, work)
        if events and work.asked is None:
            self._close_gates(agent)

    def _close_gates(self, agent: str) -> None:
        """Ends what has used all it may, after this agent used more."""
        course, work = self.course, self.course.at_work.get(agent)
        if work is not None and work.asked is None:
            gate = gate_of_agent(work.planned, course.run.delegations[agent], below=course.spent_below(agent))
            if gate is not None:
                stopping.end_agent(course, agent, gate.reason, gate.detail)
        run_gate = gate_of_run(course.run, now=now_ms(), at_work=True, below=course.spent_below())
        if run_gate is not None:
            stopping.halt(course, run_gate.reason, run_gate.detail)
