"""Every error as a sentence for a person and an exit status. No traceback goes past here."""

from __future__ import annotations

import os
import sqlite3
import time
import traceback
from contextlib import suppress

from harness import errors as h
from store import errors as s
from store.database import unavailable
from store.paths import Places, open_private
from tui.errors import CommandError
from tui.statuses import Status
from tui.text import one_line

_STATUS: tuple[tuple[type[BaseException], Status], ...] = (
    (s.RunNotFound, Status.NOT_FOUND),
    (s.AmbiguousRun, Status.WRONG_USAGE),
    (s.AmbiguousLetter, Status.WRONG_USAGE),
    (s.StoreError, Status.FAILED),
    (h.WorkflowNotFound, Status.NOT_FOUND),
    (h.FileError, Status.WRONG_USAGE),
    (h.InputError, Status.WRONG_USAGE),
    (h.PromptError, Status.WRONG_USAGE),
    (h.NotTrusted, Status.REFUSED),
    (h.RefusedError, Status.REFUSED),
    (h.HarnessError, Status.FAILED),
)


def explain_all(error: BaseException) -> tuple[list[str], Status]:
    """What to say, a line for each thing that is wrong with a file of the person's, and the status to leave with."""
    first, status = explain(error)
    others = [one_line(str(one)) for one in error.others] if isinstance(error, h.FileError) else []
    return [first, *others], status


def explain(error: BaseException) -> tuple[str, Status]:
    """What to say, on one line, and the status to leave with. What nobody foresaw is kept in a file, which it names."""
    if isinstance(error, CommandError):
        return one_line(str(error)), error.status
    for kind, status in _STATUS:
        if isinstance(error, kind):
            return one_line(str(error)), status
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", Status.INTERRUPTED
    if isinstance(error, UnicodeError):
        return "what was given is not text in UTF-8", Status.WRONG_USAGE
    if isinstance(error, OSError):
        what = error.strerror or type(error).__name__
        about = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        return one_line(f"{about}{what}; check the path, its owner and its mode"), Status.FAILED
    if isinstance(error, sqlite3.Error) and "malformed" in str(error):
        return one_line(str(unavailable(Places.of_environment(os.environ).record, error))), Status.FAILED
    return _unforeseen(error), Status.FAILED


def _unforeseen(error: BaseException) -> str:
    what = one_line(f"{type(error).__name__}: {error}")[:200]
    with suppress(Exception):
        places = Places.of_environment(os.environ)
        places.prepare()
        path = places.state / "faults.log"
        with os.fdopen(open_private(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "a", encoding="utf-8") as file:
            file.write(time.strftime("%Y-%m-%dT%H:%M:%S%z\n"))
            file.writelines(traceback.format_exception(error))
        return f"a fault in midwatch itself ({what}); the details are in {path}"
    return f"a fault in midwatch itself ({what})"
