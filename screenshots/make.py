"""Takes the pictures that people are shown, from the same prepared record as the tests: `python screenshots/make.py`.

Needs the test extra installed. Writes one SVG a picture beside this file.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
os.environ.update({"TEXTUAL_ANIMATIONS": "none", "TZ": "UTC", "LANG": "C.UTF-8"})
for name in ("NO_COLOR", "LC_ALL", "LC_CTYPE", *(name for name in os.environ if name.startswith("MIDWATCH_"))):
    os.environ.pop(name, None)
time.tzset()


class Picture(NamedTuple):
    """What is pressed before it is taken."""

    keys: tuple[str, ...]
    size: tuple[int, int] = (120, 36)
    theme: str = "textual-dark"
    after_a_reboot: bool = False


PICTURES: Mapping[str, Picture] = {
    "main": Picture(("down", "enter", "down", "enter")),
    "main-light": Picture(("down", "enter", "down", "enter"), theme="textual-light"),
    "main-nord": Picture(("down", "enter", "down", "enter"), theme="nord"),
    "not-accepted": Picture(("slash", "=triage", "enter", "enter", "enter")),
    "narrow-runs": Picture(("enter",), (80, 24)),
    "narrow-agents": Picture(("down", "enter", "down", "enter"), (80, 24)),
    "narrow-output": Picture(("down", "enter", "down", "enter", "enter"), (80, 24)),
    "launch": Picture(("down", "n", "=Totals that add up: round once, at the end, and show thirds of a cent as such.")),
    "stop": Picture(("down", "enter", "down", "s")),
    "usage": Picture(("u",)),
    "timeline": Picture(("slash", "=triage", "enter", "enter", "T")),
    "history": Picture(("H",)),
    "recovery": Picture((), after_a_reboot=True),
    "narrow-recovery": Picture((), (80, 24), after_a_reboot=True),
    "help": Picture(("question_mark",)),
}


def main() -> None:
    """Takes them all."""
    from tests.tui.returning import cut_off
    from tests.tui.scenes import busy, fixed_ids

    with tempfile.TemporaryDirectory() as folder:
        evening, morning = Path(folder) / "evening", Path(folder) / "morning"
        evening.mkdir()
        morning.mkdir()
        os.environ["HOME"] = folder
        os.chdir(folder)
        with fixed_ids():
            scenes = (busy(evening), cut_off(morning))
        for name, picture in PICTURES.items():
            drawing = asyncio.run(_take(morning if picture.after_a_reboot else evening, picture))
            (HERE / f"{name}.svg").write_text(drawing)
            print(f"{name}.svg")
        for scene in scenes:
            scene.building.connection.close()


async def _take(home: Path, picture: Picture) -> str:
    import tui.cut_off
    from store.paths import Places
    from tests.tui.driving import files_read, output_read, press, screen_on, until
    from tests.tui.scenes import HOUR, NOW
    from tui.screens.launch import Launch

    tui.cut_off.booted_at = lambda: NOW - 8 * HOUR
    (home / "state" / "theme").unlink(missing_ok=True)
    app = screen_on(Places.of_environment({"MIDWATCH_HOME": str(home)}))
    app.theme = picture.theme
    async with app.run_test(size=picture.size) as pilot:
        await files_read(pilot)
        for key in picture.keys:
            await press(pilot, key)
            screen = app.screen
            if isinstance(screen, Launch):
                await until(pilot, lambda: bool(app.focused))
        await output_read(pilot)
        await pilot.pause()
        return app.export_screenshot(title="midwatch")


if __name__ == "__main__":
    main()
