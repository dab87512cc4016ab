"""Runs the measurements one after the other: `python -m bench [NAME…]` prints one JSON object, a key for each."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence

MEASUREMENTS = {
    "record": "one transition, durable, against the same rows by bare sqlite3; growth to a million events",
    "supervise": "200 agents printing 20 lines a second each, against a loop that only reads",
    "large_output": "memory of the watch through 27 MB with a line of 3 MB",
    "runs": "`midwatch runs` against importing sqlite3 and argparse, empty and with 2,000,000 events",
    "recovery": "the recovery screen with 2,000,000 events against none, a crash with 200 agents, a journal read again",
    "screen": "key to paint, bytes and CPU of the screen, silent and at 4,000 lines a second; start against Textual's",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints; 1 when a measurement could not be made."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="*", choices=[[], *MEASUREMENTS], help=", ".join(MEASUREMENTS))
    chosen = parser.parse_args(arguments).names or list(MEASUREMENTS)
    found, status = {}, 0
    for name in chosen:
        print(f"{name}: {MEASUREMENTS[name]} …", file=sys.stderr, flush=True)
        done = subprocess.run([sys.executable, "-m", f"bench.{name}"], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            status = 1
            continue
        found[name] = json.loads(done.stdout)
    print(json.dumps(found, indent=1))
    return status


if __name__ == "__main__":
    sys.exit(main())
