"""A prepared record as a busy evening leaves it: live runs, one of each outcome, unknown costs, real recordings.

All times count back from one moment, so that pictures of it are always the same.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from store import events as e
from store.model import Counts, Outcome, Reason, Role, Verdict
from store.paths import Places
from store.plan import Plan, PlannedAgent, PlannedWave
from store.vitals import VitalsRow, write_vitals
from tests.tui.building import Building

NOW = 1_767_225_600_000 + 12 * 3_600_000  # 2026-01-01 12:00 UTC
SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000
_DOLLAR = 1_000_000_000

_WORKFLOW = """\
description = "Build a feature, then have it checked"

[inputs.feature]
prompt = "What should be built?"
multiline = true

[inputs.depth]
prompt = "How thorough?"
choices = ["quick", "normal", "deep"]
default = "normal"

[inputs.branch]
prompt = "On which branch?"
default = "main"

[defaults]
cli = "claude"
model = "sonnet"

[[waves]]
name = "build"
  [[waves.agents]]
  name = "api"
  role = "developer"
  prompt = "Build {{ inputs.feature }} in src/api."
  [[waves.agents]]
  name = "ui"
  role = "developer"
  cli = "codex"
  prompt = "Build the screen for {{ inputs.feature }}."

[[waves]]
name = "check"
  [[waves.agents]]
  name = "review"
  role = "reviewer"
  model = "opus"
  prompt = "Review the change. End with a Verdict heading."
  [[waves.agents]]
  name = "tests"
  role = "tester"
  cli = "command"
  run = ["python", "-m", "pytest", "-q"]

[[waves]]
name = "publish"
  [[waves.agents]]
  name = "notes"
  role = "writer"
  cli = "gemini"
  prompt = "Write the release notes."
"""

SHIP = Plan(
    waves=(
        PlannedWave(
            name="build",
            agents=(
                PlannedAgent(name="api", role=Role.DEVELOPER, cli="claude", model="sonnet"),
                PlannedAgent(name="ui", role=Role.DEVELOPER, cli="codex", model="gpt-5"),
            ),
        ),
        PlannedWave(
            name="check",
            agents=(
                PlannedAgent(name="review", role=Role.REVIEWER, cli="claude", model="opus"),
                PlannedAgent(name="tests", role=Role.TESTER, cli="command", metered=False),
            ),
        ),
        PlannedWave(name="publish", agents=(PlannedAgent(name="notes", role=Role.WRITER, cli="gemini"),)),
    )
)


def plan(*waves: tuple[str, Sequence[PlannedAgent]]) -> Plan:
    """A plan of these waves."""
    return Plan(waves=tuple(PlannedWave(name=name, agents=tuple(agents)) for name, agents in waves))


def claude_lines(*said: str | tuple[str, str]) -> bytes:
    """What Claude Code prints while it says these texts and calls these tools (name, command)."""
    lines: list[dict[str, object]] = [
        {"type": "system", "subtype": "init", "session_id": "5f1c", "model": "claude-opus-5"}
    ]
    for number, one in enumerate(said):
        block: dict[str, object] = (
            {"type": "text", "text": one}
            if isinstance(one, str)
            else {"type": "tool_use", "id": f"t{number}", "name": one[0], "input": {"command": one[1]}}
        )
        message = {"id": f"m{number}", "model": "claude-opus-5", "content": [block], "usage": {"input_tokens": 10}}
        lines.append({"type": "assistant", "message": message})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


class Scene:
    """Writes runs that began so long before `NOW`."""

    def __init__(self, home: Path) -> None:
        self.places = Places.of_environment({"MIDWATCH_HOME": str(home)})
        self.building = Building(self.places)
        self.places.workflows.mkdir(parents=True, exist_ok=True)
        self._pid = 4000

    def workflow(self, name: str, text: str = _WORKFLOW) -> str:
        """The path of a workflow file of the person's."""
        path = self.places.workflows / f"{name}.toml"
        path.write_text(text)
        return str(path.resolve())

    def launch(self, workflow: str, began: int, planned: Plan = SHIP, **inputs: str) -> str:
        """The id of a run that was launched so many ms before now."""
        return self.building.launch(workflow, plan=planned, at=NOW - began, inputs=inputs)

    def wave(self, run: str, index: int, name: str, began: int) -> None:
        """The wave was handed out."""
        self.building.write(e.WaveStarted(run=run, wave=index, name=name, at=NOW - began))

    def start(self, run: str, agent: str, began: int, *, cli: str = "claude", session: str | None = None) -> None:
        """The agent has a process."""
        self._pid += 1
        at = NOW - began
        self.building.write(
            e.DelegationStarted(
                run=run, agent=agent, attempt=1, attempt_id=f"{run}-{agent}", cli=cli, session=session, at=at
            ),
            e.AttemptStarted(
                run=run, agent=agent, attempt=1, pid=self._pid, start_ticks=1, boot="b", namespace=1, at=at
            ),
        )

    def use(self, run: str, agent: str, turns: int, cents: int | None, ago: int, *, estimated: bool = False) -> None:
        """The agent used something; `None` cents: it does not say what."""
        nano = None if cents is None else cents * _DOLLAR // 100
        tokens = (1_200 * turns, 310 * turns, 14_000 * turns, 900 * turns) if cents is not None else (None,) * 4
        counts = Counts(
            input=tokens[0],
            output=tokens[1],
            cache_read=tokens[2],
            cache_write=tokens[3],
            cost=None if estimated else nano,
            estimated=nano if estimated else None,
        )
        model = {"ui": "gpt-5", "review": "opus"}.get(agent, "sonnet")
        self.building.write(
            e.UsageRecorded(run=run, agent=agent, attempt=1, turns=turns, counts=counts, model=model, at=NOW - ago)
        )

    def end(self, run: str, agent: str, ago: int, *, code: int = 0, result: str | None = "success") -> None:
        """Its process ended."""
        self.building.write(
            e.AttemptEnded(run=run, agent=agent, attempt=1, exit_code=code, result=result, at=NOW - ago)
        )

    def done(self, run: str, agent: str, ago: int, *, verdict: Verdict | None = None, quote: str | None = None) -> None:
        """It finished its work."""
        at = NOW - ago
        self.end(run, agent, ago)
        self.building.write(
            e.DelegationReported(run=run, agent=agent, attempt=1, at=at),
            e.DelegationAccepted(run=run, agent=agent, verdict=verdict, quote=quote, at=at),
        )

    def failed(self, run: str, agent: str, ago: int, detail: str, *, code: int = 1) -> None:
        """It failed."""
        self.end(run, agent, ago, code=code, result=None)
        self.building.write(e.DelegationFailed(run=run, agent=agent, detail=detail, at=NOW - ago))

    def stopped(self, run: str, agent: str, ago: int, reason: Reason) -> None:
        """It was ended."""
        at = NOW - ago
        self.building.write(e.DelegationStopping(run=run, agent=agent, reason=reason, at=at))
        self.building.write(e.DelegationStopped(run=run, agent=agent, reason=reason, at=at))

    def not_started(self, run: str, agents: Sequence[str], ago: int, reason: Reason) -> None:
        """They were never launched."""
        for agent in agents:
            self.building.write(e.DelegationNotStarted(run=run, agent=agent, reason=reason, at=NOW - ago))

    def finish(self, run: str, outcome: Outcome, ago: int, why: str) -> None:
        """The run ended."""
        self.building.finish(run, outcome, why, at=NOW - ago)

    def journal(self, run: str, agent: str, content: bytes, part: str = "out") -> Path:
        """What it printed."""
        path = self.places.journal(run, agent, 1, part)  # type: ignore[arg-type]
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(content)
        return path

    def vitals(self, run: str, agent: str, cpu: int, mebibytes: int, silent: int) -> None:
        """The last look at its processes."""
        write_vitals(
            self.building.connection,
            [
                VitalsRow(
                    run=run,
                    agent=agent,
                    at=NOW,
                    sign_of_life=NOW - silent,
                    cpu=cpu,
                    memory=mebibytes << 20,
                    tree=((4711, 1),),
                )
            ],
        )


REVIEW = claude_lines(
    "I will look at the change first, then at what calls it.",
    ("Bash", "git diff --stat main"),
    ("Read", "src/api/orders.py"),
    ("Bash", "grep -rn 'def total' src"),
    "`total()` in src/api/orders.py rounds each line of an order before it adds them up. With three lines of $0.333 an"
    " order shows $0.99 where the invoice says $1.00, and the difference grows with the number of lines.\n\nThe new"
    " tests only use whole cents, so they cannot see it.",
    ("Bash", "python -m pytest tests/api/test_orders.py -q"),
    "The tests pass. I will write one that has thirds in it to show what I mean.",
    ("Write", "tests/api/test_rounding.py"),
)

TESTS_OUT = b"".join(b"tests/api/test_%02d.py ....................\n" % n for n in range(40)) + (
    b"\x1b[31mFAILED\x1b[0m tests/api/test_orders.py::test_total - assert 0.99 == 1.00\n1 failed, 812 passed in 61.2s\n"
)


@contextmanager
def fixed_ids() -> Iterator[None]:
    """Runs launched within the block are numbered, since a real id says when it was made."""
    numbers = itertools.count(1)
    with patch("tests.tui.building.new_run_id", lambda: f"6b8k{next(numbers):04}w0zy"):
        yield


def busy(home: Path) -> Scene:
    """A busy evening."""
    scene = Scene(home)
    ship, audit, triage, docs = (scene.workflow(name) for name in ("ship-feature", "nightly-audit", "triage", "docs"))
    scene.workflow("release")
    scene.workflow(
        "backport", 'description = "x"\n[[waves]]\nname = "port"\n[[waves.agents]]\nname = "a"\nrol = "writer"\n'
    )

    run = scene.launch(audit, 9 * HOUR, plan(("scan", [PlannedAgent(name="scan", role=Role.RESEARCHER, cli="claude")])))
    scene.wave(run, 0, "scan", 9 * HOUR)
    scene.start(run, "scan", 9 * HOUR)
    scene.use(run, "scan", 9, 40, 9 * HOUR)
    scene.done(run, "scan", 9 * HOUR - 12 * MINUTE)
    scene.finish(run, Outcome.COMPLETED, 9 * HOUR - 12 * MINUTE, "all agents are done")

    run = scene.launch(ship, 7 * HOUR)
    scene.wave(run, 0, "build", 7 * HOUR)
    scene.start(run, "api", 7 * HOUR)
    scene.start(run, "ui", 7 * HOUR, cli="codex")
    scene.use(run, "api", 31, 210, 7 * HOUR)
    scene.stopped(run, "api", 6 * HOUR, Reason.OPERATOR)
    scene.stopped(run, "ui", 6 * HOUR, Reason.OPERATOR)
    scene.not_started(run, ["review", "tests", "notes"], 6 * HOUR, Reason.STOPPED)
    scene.finish(run, Outcome.STOPPED, 6 * HOUR, "stopped by a person")

    run = scene.launch(triage, 5 * HOUR)
    scene.wave(run, 0, "build", 5 * HOUR)
    for agent in ("api", "ui"):
        scene.start(run, agent, 5 * HOUR)
        scene.use(run, agent, 12, 61 if agent == "api" else None, 5 * HOUR)
        scene.done(run, agent, 4 * HOUR)
    scene.wave(run, 1, "check", 4 * HOUR)
    scene.start(run, "review", 4 * HOUR)
    scene.journal(run, "review", REVIEW)
    scene.use(run, "review", 4, 22, 4 * HOUR)
    scene.done(run, "review", 3 * HOUR, verdict=Verdict.REJECTED, quote="REJECTED: the rounding is still wrong")
    scene.start(run, "tests", 4 * HOUR, cli="command")
    scene.journal(run, "tests", TESTS_OUT)
    scene.journal(run, "tests", b"warning: 3 files skipped\n", "err")
    scene.failed(run, "tests", 4 * HOUR - MINUTE, "ended with exit status 2: no module named 'orders'", code=2)
    scene.not_started(run, ["notes"], 3 * HOUR, Reason.WAVE_FAILED)
    scene.finish(run, Outcome.NOT_ACCEPTED, 3 * HOUR, "review rejected it")

    run = scene.launch(docs, 2 * HOUR, plan(("write", [PlannedAgent(name="write", role=Role.WRITER, cli="claude")])))
    scene.wave(run, 0, "write", 2 * HOUR)
    scene.start(run, "write", 2 * HOUR)
    scene.use(run, "write", 3, 8, 2 * HOUR)
    scene.end(run, "write", HOUR)
    scene.building.write(
        e.DelegationBlocked(
            run=run, agent="write", detail="the style guide it was told to follow is not there", at=NOW - HOUR
        )
    )
    scene.finish(run, Outcome.BLOCKED, HOUR, "write could not proceed")

    run = scene.launch(ship, 17 * MINUTE + 2 * SECOND, feature="totals that add up")
    scene.wave(run, 0, "build", 17 * MINUTE)
    scene.start(run, "api", 17 * MINUTE, session="s-api")
    scene.use(run, "api", 12, 61, 15 * MINUTE)
    scene.done(run, "api", 12 * MINUTE + 50 * SECOND)
    scene.start(run, "ui", 17 * MINUTE, cli="codex")
    scene.use(run, "ui", 18, None, 13 * MINUTE)
    scene.done(run, "ui", 11 * MINUTE)
    scene.wave(run, 1, "check", 11 * MINUTE)
    scene.start(run, "review", 11 * MINUTE, session="s-review")
    scene.use(run, "review", 4, 122, 3 * MINUTE)
    scene.journal(run, "review", REVIEW)
    scene.vitals(run, "review", 31, 412, 3 * MINUTE)
    scene.start(run, "tests", 11 * MINUTE, cli="command")
    scene.journal(run, "tests", TESTS_OUT)
    scene.failed(run, "tests", 9 * MINUTE + 50 * SECOND, "ended with exit status 2: no module named 'orders'", code=2)

    run = scene.launch(ship, 13 * SECOND, feature="a smaller thing")
    scene.wave(run, 0, "build", 13 * SECOND)
    scene.start(run, "api", 12 * SECOND)
    scene.use(run, "api", 1, 2, 5 * SECOND)
    scene.vitals(run, "api", 88, 230, 1 * SECOND)
    return scene
