"""An agent with a tree that is hard to end. Each of its processes prints `pid N` when it is as it will stay.

Words: deaf (everything from here on ignores INT, TERM and HUP), plain, session (setsid), orphan (double fork and
setsid), bare (likewise, with an empty environment), quiet (bare, and standard output closed), exit:STATUS (the agent
itself ends, once all others have told their pids). Without the last it stays until it is killed.
"""

import os
import signal
import sys

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def stay(tell: int, *, deaf: bool, quiet: bool) -> None:
    """Never returns."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN if deaf else signal.SIG_DFL)
    os.write(1, b"pid %d\n" % os.getpid())
    os.write(tell, b".")
    if quiet:
        os.close(1)
    while True:
        signal.pause()


def child(kind: str, tell: int, *, deaf: bool) -> None:
    if os.fork():
        return
    if kind != "plain":
        os.setsid()
    if kind in ("orphan", "bare", "quiet") and os.fork():
        os._exit(0)
    words = [sys.executable, "-I", "-S", __file__, f"stay:{tell}", *(["deaf"] if deaf else []), kind]
    os.execve(sys.executable, words, {} if kind in ("bare", "quiet") else os.environ)


def agent(words: list[str]) -> None:
    told, tell = os.pipe()
    os.set_inheritable(tell, True)
    deaf, children = False, 0
    for word in words:
        verb, _, rest = word.partition(":")
        if verb == "deaf":
            deaf = True
            for number in SIGNALS:
                signal.signal(number, signal.SIG_IGN)
        elif verb == "exit":
            while children:
                children -= len(os.read(told, children))
            sys.exit(int(rest))
        else:
            children += 1
            child(verb, tell, deaf=deaf)
    stay(tell, deaf=deaf, quiet=False)


if sys.argv[1].startswith("stay:"):
    stay(int(sys.argv[1].partition(":")[2]), deaf="deaf" in sys.argv, quiet=sys.argv[-1] == "quiet")
agent(sys.argv[1:])
