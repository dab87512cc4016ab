"""A scripted agent: does what its arguments say, one after the other.

print:TEXT  err:TEXT  note:FILE (adds a line)  sleep:SECONDS  wait:FILE (until it exists)  touch:FILE  exit:STATUS
kill:SIGNAL  lines:COUNT  ignore-term  child:SECONDS (leaves a child behind)  report:JSON  echo (standard input)
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    """Runs the script."""
    for word in sys.argv[1:]:
        verb, _, rest = word.partition(":")
        match verb:
            case "print":
                print(rest.replace("\\n", "\n"), flush=True)
            case "err":
                print(rest, file=sys.stderr, flush=True)
            case "report":
                print(rest, flush=True)
            case "sleep":
                time.sleep(float(rest))
            case "wait":
                while not Path(rest).exists():
                    time.sleep(0.01)
            case "touch":
                Path(rest).touch()
            case "note":
                with Path(rest).open("a") as notes:
                    notes.write(f"{os.getpid()}\n")
            case "exit":
                return int(rest)
            case "kill":
                os.kill(os.getpid(), int(rest))
            case "lines":
                for number in range(int(rest)):
                    print(f"line {number} " + "x" * 80)
            case "ignore-term":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            case "child":
                subprocess.Popen(["sleep", rest], start_new_session=True, env={"PATH": os.environ["PATH"]})
            case "echo":
                sys.stdout.write(sys.stdin.read())
                sys.stdout.flush()
            case "env":
                print(os.environ.get(rest, "(not set)"), flush=True)
            case "cwd":
                print(Path.cwd(), flush=True)
            case "umask":
                mask = os.umask(0)
                print(f"{mask:04o}", flush=True)
            case _:
                print(f"unknown word {word}", file=sys.stderr)
                return 99
    return 0


if __name__ == "__main__":
    sys.exit(main())
