"""Prepared records for whoever comes back: runs that were cut off, and an evening on which things ended."""

from __future__ import annotations

from pathlib import Path

from store import events as e
from store import outbox
from store.model import Outcome, Reason, Role
from store.outbox import MOST_TRIES
from store.plan import PlannedAgent
from store.record import Batch, record
from tests.tui.scenes import HOUR, MINUTE, NOW, Scene, plan
from tui.away import Looked, keep_looked

_NIGHT = plan(("scan", [PlannedAgent(name="scan", role=Role.TESTER, cli="codex")]))


def restore(scene: Scene, run: str, interrupted: list[str], never: list[str], ago: int) -> None:
    """Settles a run as the watch does that finds it without one (R9)."""
    at = NOW - ago
    scene.building.write(
        e.RunRestored(run=run, at=at),
        *(
            event
            for agent in interrupted
            for event in (
                e.AttemptEnded(run=run, agent=agent, attempt=1, at=at),
                e.DelegationStopping(run=run, agent=agent, reason=Reason.INTERRUPTED, at=at),
                e.DelegationStopped(run=run, agent=agent, reason=Reason.INTERRUPTED, at=at),
            )
        ),
        e.RunStopping(run=run, reason=Reason.INTERRUPTED, detail="cut off while it ran", at=at),
        *(e.DelegationNotStarted(run=run, agent=agent, reason=Reason.INTERRUPTED, at=at) for agent in never),
    )
    scene.finish(run, Outcome.STOPPED, ago, "cut off while it ran")


def ship_cut_off(scene: Scene) -> str:
    """A run of three waves that was cut off in the second: review had a session, tests had none."""
    run = scene.launch(scene.workflow("ship-feature"), 9 * HOUR + 29 * MINUTE)
    scene.wave(run, 0, "build", 9 * HOUR)
    for agent, cents, turns in (("api", 122, 20), ("ui", None, 17)):
        scene.start(run, agent, 9 * HOUR)
        scene.use(run, agent, turns, cents, 9 * HOUR)
        scene.done(run, agent, 9 * HOUR)
    scene.wave(run, 1, "check", 8 * HOUR + 20 * MINUTE)
    scene.start(run, "review", 8 * HOUR + 20 * MINUTE, session="s-review")
    scene.use(run, "review", 4, 62, 8 * HOUR + 2 * MINUTE)
    scene.start(run, "tests", 8 * HOUR + 20 * MINUTE, cli="command")
    restore(scene, run, ["review", "tests"], ["notes"], MINUTE)
    return run


def cut_off(home: Path) -> Scene:
    """Two runs that were cut off."""
    scene = Scene(home)
    night = scene.launch(scene.workflow("nightly-audit"), 8 * HOUR + 5 * MINUTE, _NIGHT)
    scene.wave(night, 0, "scan", 8 * HOUR)
    scene.start(night, "scan", 8 * HOUR, cli="codex", session="s-scan")
    scene.use(night, "scan", 9, 40, 8 * HOUR)
    restore(scene, night, ["scan"], [], MINUTE)
    ship_cut_off(scene)
    return scene


def quiet_evening(home: Path) -> Scene:
    """What came since ten hours ago, when somebody last looked; two dead letters among it."""
    scene = Scene(home)
    scene.places.prepare()
    keep_looked(scene.places, Looked(seq=0, at=NOW - 10 * HOUR))
    for name, outcome, ago, cents, why in (
        ("long-ago", Outcome.COMPLETED, 11 * HOUR, 999, "all agents are done"),
        ("nightly-audit", Outcome.COMPLETED, 8 * HOUR, 40, "all agents are done"),
        ("nightly-audit", Outcome.COMPLETED, 7 * HOUR, 60, "all agents are done"),
        ("docs", Outcome.BLOCKED, 6 * HOUR, 220, "scan could not proceed: the style guide is not there"),
        ("triage", Outcome.NOT_ACCEPTED, 5 * HOUR, None, "review rejected it"),
        ("port", Outcome.WITH_FAILURES, 4 * HOUR, 31, "scan failed: exit status 2"),
    ):
        run = scene.launch(scene.workflow(name), ago + HOUR, _NIGHT)
        scene.wave(run, 0, "scan", ago + HOUR)
        scene.start(run, "scan", ago + HOUR)
        scene.use(run, "scan", 3, cents, ago)
        scene.done(run, "scan", ago)
        scene.finish(run, outcome, ago, why)
    letters(scene, 6 * HOUR)
    return scene


def failing(home: Path) -> Scene:
    """An evening on which a sign-in failed and a limit was reached."""
    scene = quiet_evening(home)
    scene.building.write(
        e.CredentialDied(
            run="6b8k0003",
            agent="api",
            key="anthropic:login:/home/ann/.claude/.credentials.json:1f2e3d4c5b6a",
            cli="claude",
            attempt=1,
            message="401 OAuth token has expired. Please obtain a new token or refresh your existing token.",
            at=NOW - 3 * HOUR,
        ),
        e.CredentialLimited(
            run="6b8k0004",
            agent="ui",
            key="openai:api key:CODEX_API_KEY:0a1b2c3d4e5f",
            cli="codex",
            attempt=2,
            message="You have hit your usage limit.",
            resets_at="2026-01-01T09:00:00Z",
            at=NOW - 20 * MINUTE,
        ),
    )
    return scene


def letters(scene: Scene, ago: int) -> None:
    """Two dead letters: one that a webhook would not take, and a transition that was refused."""
    writer, moment = scene.building.connection, NOW - ago
    outbox.hand_out(writer, {"webhook": {"run.finished"}}, limit=1_000, now=moment)
    for _ in range(MOST_TRIES):
        (one,) = outbox.lease(writer, "webhook", "me", limit=1, seconds=0, now=moment)
        outbox.fail(
            writer, "webhook", "me", one.event.seq, "hooks.example.org answered 500", now=moment, again_at=moment
        )
    run = writer.execute("SELECT id FROM runs ORDER BY seq DESC LIMIT 1").fetchone()[0]
    event = e.DelegationAccepted(run=run, agent="scan", at=moment)
    record(writer, [Batch(events=(event,))])
