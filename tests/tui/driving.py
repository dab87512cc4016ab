"""Driving the screen without a terminal: a fixed clock and place, keys, and waiting for what must come."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from store.paths import Places
from tests.tui.scenes import NOW
from tui.midwatch import Midwatch
from tui.screens.main import Main

DEADLINE_S = 20.0
TERMINAL = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}

Script = Callable[[Pilot[int]], Awaitable[None]]


def screen_on(places: Places, *, watched: bool = True, **rest: object) -> Midwatch:
    """The app on this record, with the clock of the scenes."""
    places.prepare()
    options: dict[str, object] = {"environment": TERMINAL, "place": "box-17  ~/src/shop", **rest}
    return Midwatch(places, now=lambda: NOW, watched=lambda: watched, **options)  # type: ignore[arg-type]


def drive(app: Midwatch, script: Script, *, size: tuple[int, int] = (120, 36)) -> None:
    """Runs the app and the script in it; what goes wrong in either is raised."""

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await files_read(pilot)
            await script(pilot)

    asyncio.run(run())


async def until(pilot: Pilot[int], reached: Callable[[], bool]) -> None:
    """Waits until it is so, with what must be drawn for it drawn."""
    deadline = time.monotonic() + DEADLINE_S
    while not reached():
        assert time.monotonic() < deadline, f"never came about:\n{shown(pilot)}"
        await pilot.pause(0.01)
    await pilot.pause()


async def files_read(pilot: Pilot[int]) -> None:
    """Waits until the workflow files have been looked for."""
    main = main_of(pilot)
    await until(pilot, lambda: main.files_known)


async def output_read(pilot: Pilot[int]) -> None:
    """Waits until the output of the selected agent has been read."""
    output = main_of(pilot).output
    await until(pilot, lambda: output.tail is None or (output.tail.settled.is_set() and not output.waiting))


def main_of(pilot: Pilot[int]) -> Main:
    """The main screen, whatever lies over it."""
    return next(screen for screen in pilot.app.screen_stack if isinstance(screen, Main))


def shown(pilot: Pilot[int]) -> str:
    """What a terminal would show now, without colours."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


async def press(pilot: Pilot[int], *keys: str) -> None:
    """Presses these keys, each after what the one before did is drawn; '=words' types them."""
    for key in keys:
        for one in key[1:] if key.startswith("=") else [key]:
            await pilot.press("space" if one == " " else one)
    await pilot.pause()


def write_workflow(places: Places, name: str, text: str) -> Path:
    """A workflow file of the person's."""
    places.workflows.mkdir(parents=True, exist_ok=True)
    path = places.workflows / f"{name}.toml"
    path.write_text(text)
    return path.resolve()
