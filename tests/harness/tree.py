"""An agent with a tree that is hard to end. Each of its processes prints `pid N` when it is as it will stay.

Words: deaf (everything from here on ignores INT, TERM and HUP), plain, session (setsid), orphan (double fork and setsid),
bare (likewise, with an empty environment), quiet (bare, and standard output closed), exit:STATUS (the agent itself ends,
once all others have told their pids). Without the last it stays until it is killed.
"""

import os
import signal
import sys

DEAF = "for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(one, signal.SIG_IGN)\n"
STAY = "while True: signal.pause()\n"
told, tell = os.pipe()
os.set_inheritable(tell, True)
TELL = f"os.write(1, b'pid %d\\n' % os.getpid())\nos.write({tell}, b'.')\n"


def child(kind: str, *, deaf: bool) -> None:
    if os.fork():
        return
    if kind != "plain":
        os.setsid()
    if kind in ("orphan", "bare", "quiet") and os.fork():
        os._exit(0)
    lines = ["import os, signal\n", DEAF if deaf else "", TELL, "os.close(1)\n" if kind == "quiet" else "", STAY]
    environment = {} if kind in ("bare", "quiet") else os.environ
    os.execve(sys.executable, [sys.executable, "-I", "-S", "-c", "".join(lines)], environment)


deaf, children = False, 0
for word in sys.argv[1:]:
    verb, _, rest = word.partition(":")
    if verb == "deaf":
        deaf = True
        exec(DEAF)
    elif verb == "exit":
        while children:
            children -= len(os.read(told, children))
        sys.exit(int(rest))
    else:
        children += 1
        child(verb, deaf=deaf)
exec(TELL + STAY)
