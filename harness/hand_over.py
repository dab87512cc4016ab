"""What one run hands its agents: prompt, program, surroundings and the files that an attempt reads and writes."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from harness import situation
from harness.agents import adapter
from harness.agents.base import Adapter, Brief, CredentialShape, credential_in
from harness.at_work import Answer, AtWork, TakenUp, reading_of
from harness.attempt_files import AttemptFiles, attempt_files, last_words
from harness.cli_names import COMMAND
from harness.ending import Ending
from harness.errors import HarnessError
from harness.ledger import Ledger
from harness.masking import masking, secret_values
from harness.prompt import Output, PriorAgent, render
from harness.rereading import session_totals_of
from harness.settings import CliSettings, Settings
from harness.supervisor import Order
from harness.surroundings import Surroundings, for_agent
from harness.workflow import Agent, Workflow
from store.model import FINAL_STATES, WatchDeath
from store.paths import Places, private_folder
from store.plan import PlannedAgent
from store.run import Delegation, Run

PASSED = (
    "Your provider asked for patience (a rate limit or an overload), and your last turn broke off. It may or may not"
    " have had its effects: check which of your last steps already happened before you do anything, do not repeat"
    " those, then finish the work and report as you were told."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class HandOver:
    """All of a launch that is not in the record: the workflow's content and the terminal's surroundings (R20)."""

    places: Places
    settings: Settings
    workflow: Workflow
    surroundings: Surroundings
    record_id: str
    earlier: tuple[Run, ...] = ()  # the runs that this one continues, oldest first
    taken_up: TakenUp | None = None

    def begin(
        self,
        run: Run,
        planned: PlannedAgent,
        *,
        attempt: int,
        attempt_id: str,
        clock: Callable[[], float],
        again: TakenUp | None = None,
    ) -> AtWork:
        """The attempt as it will be committed; nothing is written or started yet. `again`: what it tries again."""
        chosen, taken_up = adapter(planned.cli), again or self._taken_up(planned.name)
        ledger = None if taken_up is None else taken_up.ledger
        files = attempt_files(self.places, run.id, planned.name, attempt)
        return AtWork(
            run=run.id,
            planned=planned,
            adapter=chosen,
            attempt=attempt,
            attempt_id=attempt_id,
            session=_session(taken_up, chosen),
            taken_up=taken_up,
            credential=self.credential(planned),
            clock=clock,
            reading=reading_of(run.id, planned, chosen, attempt, attempt_id, files=files, ledger=ledger),
        )

    def _taken_up(self, agent: str) -> TakenUp | None:
        return self.taken_up if self.taken_up is not None and self.taken_up.agent == agent else None

    def masking(self) -> Callable[[str], str]:
        """What hides the secrets of its agents' environment in a text."""
        return masking(
            secret_values(self.surroundings.env).union(*(secret_values(cli.env) for cli in self.settings.cli.values()))
        )

    def credential(self, planned: PlannedAgent) -> CredentialShape | None:
        """What this agent signs in with, as far as that can be told from here; `None` when it signs in with nothing.

        Looks into the files of its CLI, so that what was saved again shows (K3).
        """
        cli = self.settings.cli.get(planned.cli, CliSettings())
        env = {**self.surroundings.env, **cli.env}
        declared = self.workflow.agent(planned.name).credential
        if declared is not None:
            shape = credential_in(env, declared.env, provider=declared.provider, method="variable")
            return shape or CredentialShape(
                provider=declared.provider, method="variable", place=declared.env, fingerprint="none"
            )
        chosen = adapter(planned.cli)
        if not chosen.metered:
            return None
        unknown = CredentialShape(provider=planned.cli, method="its own", place="not known", fingerprint="none")
        return chosen.credential(env) or unknown

    def again(self, work: AtWork) -> TakenUp | None:
        """What the next attempt takes up of one that is tried again; `None` to begin anew. Reads its journal."""
        if work.reading.session is None or not (work.adapter.resumes or self.workflow.agent(work.agent).resume):
            return None
        files = attempt_files(self.places, work.run, work.agent, work.attempt)
        earlier = {} if work.taken_up is None else work.taken_up.ledger.session
        return TakenUp(
            agent=work.agent,
            run=work.run,
            attempt=work.attempt,
            session=work.reading.session,
            ledger=Ledger(session_totals_of(work.planned, [files], begun=earlier)),
            tell=PASSED,
        )

    def order(self, run: Run, work: AtWork) -> Order:
        """What the supervisor needs to launch it. Renders and writes the prompt, which takes a while: call in a thread.

        Raises `HarnessError` for a prompt that cannot be rendered or is over the limit, `OSError` for files.
        """
        planned, agent = work.planned, self.workflow.agent(work.agent)
        cli = self.settings.cli.get(planned.cli, CliSettings())
        taken_up = work.taken_up
        files = attempt_files(self.places, run.id, planned.name, work.attempt)
        brief = Brief(
            prompt=self._prompt(run, agent, taken_up),
            prompt_file=files.prompt,
            usage_file=files.usage,
            model=planned.model,
            session=None if taken_up is None else taken_up.session,
            attempt_session=work.session or "",
            program=cli.program,
            args=cli.args,
            env={**self.surroundings.env, **cli.env},
            max_turns=planned.max_turns,
            allow=agent.allow,
            run=agent.run,
            resume=agent.resume,
            reports=planned.reports,
        )
        invocation = work.adapter.invoke(brief)
        private_folder(files.out.parent)
        _write_private(files.prompt, invocation.stdin.encode())
        mark = f"{self.record_id}/{work.attempt_id}"
        env = for_agent(self.surroundings, mark=mark, run=run.id, agent=planned.name, tmux_dir=self._tmux_folder())
        env.update(invocation.env)
        env.update(cli.env)
        return Order(
            mark=mark,
            argv=invocation.argv,
            env=env,
            cwd=run.folder,
            umask=self.surroundings.umask,
            limits=_limits(self.surroundings),
            stdin=files.prompt,
            out=files.out,
            err=files.err,
            exit=files.exit,
            finish=run.plan.watch_death is WatchDeath.FINISH,
            timeout=planned.timeout,
            output_limit=self.settings.limits.output,
            lines=work.takes_lines,
        )

    def _tmux_folder(self) -> Path:
        folder = self.places.state / "tmux"
        private_folder(folder)
        return folder

    def _prompt(self, run: Run, agent: Agent, taken_up: TakenUp | None) -> str:
        return self._prompt_first(run, agent) if taken_up is None else self._prompt_again(taken_up, agent)

    def _prompt_first(self, run: Run, agent: Agent) -> str:
        if agent.prompt is None:
            return ""
        wave = run.delegations[agent.name].wave
        earlier = [one for one in run.delegations.values() if one.wave < wave]
        before = {
            one.name: self._prior(past, one) for past in self.earlier for one in past.delegations.values() if one.final
        }
        summary = situation.summary(run, before=wave) if agent.situation and earlier else ""
        return render(
            agent=agent.name,
            template=agent.prompt,
            inputs=run.inputs,
            workflow=run.name,
            run=run.id,
            agents={**before, **{one.name: self._prior(run, one) for one in earlier}},
            situation=summary,
            reporting=situation.reporting(votes=agent.role.votes) if agent.reporting else "",
            limit=self.settings.limits.handover,
        )

    def _prompt_again(self, taken_up: TakenUp, agent: Agent) -> str:
        """What a resumed agent is told: with its session, only that it was cut off; else the whole hand-over again."""
        if taken_up.session is not None:
            return taken_up.tell
        return f"{taken_up.tell}\n\n{self._handed_over(agent)}"

    def _handed_over(self, agent: Agent) -> str:
        """The newest prompt that any of the earlier runs gave this agent.

        It is made now when none did: a watch may die after an attempt is committed and before its prompt is written.
        """
        pasts = [past for past in self.earlier if agent.name in past.delegations]
        for past in reversed(pasts):
            for attempt in reversed(past.delegations[agent.name].attempts):
                with suppress(FileNotFoundError):
                    files = attempt_files(self.places, past.id, agent.name, attempt.number)
                    return files.prompt.read_text(errors="replace")
        in_its_wave = [past for past in pasts if past.delegations[agent.name].wave] or pasts[:1]
        return self._prompt_first(in_its_wave[-1], agent)

    def _prior(self, run: Run, delegation: Delegation) -> PriorAgent:
        assert delegation.state in FINAL_STATES
        files = attempt_files(self.places, run.id, delegation.name, len(delegation.attempts) or 1)
        answer = files.answer if files.answer.exists() else files.out
        return PriorAgent(
            state=delegation.state.value,
            files=delegation.files,
            output=Output(agent=delegation.name, path=answer, limit=self.settings.limits.handover),
        )

    def answer_of(self, work: AtWork) -> Answer:
        """Where the attempt's answer lies or will lie."""
        return work.answer(attempt_files(self.places, work.run, work.agent, work.attempt))

    def failure_of(self, work: AtWork, ending: Ending) -> str:
        """The error text of a failed attempt."""
        return error_text(attempt_files(self.places, work.run, work.agent, work.attempt), work, ending)

    def explain(self, error: BaseException) -> str:
        """The sentence for why an attempt could not be started."""
        if isinstance(error, HarnessError):
            return str(error)
        if isinstance(error, OSError):
            return f"its files could not be prepared: {error.strerror or error} ({error.filename})"
        return f"it could not be prepared: {type(error).__name__}: {error}"


def _session(taken_up: TakenUp | None, chosen: Adapter) -> str | None:
    if taken_up is not None and taken_up.session is not None:
        return taken_up.session
    return str(uuid.uuid4()) if chosen.chooses_session else None


def ledger_of(places: Places, planned: PlannedAgent, session: str | None, earlier: Sequence[Run]) -> Ledger:
    """A ledger for an attempt on that session: it counts from where the session stood at the end of these runs (U4).

    Reads their journals, which takes a while: call in a thread.
    """
    journals = [
        attempt_files(places, past.id, planned.name, attempt.number)
        for past in earlier
        for attempt in (past.delegations[planned.name].attempts if planned.name in past.delegations else ())
        if session is not None and attempt.session == session
    ]
    return Ledger(session_totals_of(planned, journals)) if journals else Ledger()


def error_text(files: AttemptFiles, work: AtWork, ending: Ending) -> str:
    """What is handed on of a failed attempt: what the table says, and the last a command wrote to stderr (O5)."""
    detail = ending.detail or "failed"
    said = last_words(files.err) if work.planned.cli == COMMAND else ""
    return f"{detail}: {said}" if said else detail


def _write_private(path: Path, content: bytes) -> None:
    """The file is there whole or not at all, and stays through a power loss: a resume hands it over again."""
    part = path.with_name(f"{path.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    part.rename(path)


def _limits(surroundings: Surroundings) -> tuple[tuple[int, int, int], ...]:
    import resource

    def figure(value: int | None) -> int:
        return resource.RLIM_INFINITY if value is None else value

    return tuple(
        (getattr(resource, name), figure(soft), figure(hard))
        for name, (soft, hard) in surroundings.limits.items()
        if hasattr(resource, name)
    )
