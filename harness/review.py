"""Reading a result: its answer onto the disk, its labelled regions, and what they come to (O6–O8, E1)."""

from __future__ import annotations

import os
from contextlib import suppress

from harness import verdict
from harness.at_work import Answer, AtWork
from harness.ending import Ending
from harness.size import format_size
from store.events import DelegationAccepted, DelegationBlocked, DelegationFailed, Event
from store.model import Verdict

READ_AT_MOST = 1 << 20


def review(work: AtWork, answer: Answer, ending: Ending) -> Event:
    """What an attempt that ended well comes to: accepted or blocked.

    Writes the answer durably first, since a later wave or a resume is handed it; raises `OSError` when that cannot be
    done. Takes as long as the answer is large: call in a thread.
    """
    return _event(work, _kept(answer), answer, ending)


def unkept(work: AtWork, problem: OSError) -> Event:
    """What an attempt comes to whose answer could not be kept."""
    gone = isinstance(problem, FileNotFoundError)
    why = "the folder of its journals was deleted while it ran" if gone else problem.strerror or problem
    detail = f"its answer could not be kept: {why}"
    return DelegationFailed(run=work.run, agent=work.agent, detail=detail)


def _event(work: AtWork, text: str | None, answer: Answer, ending: Ending) -> Event:
    votes = work.planned.role.votes
    unread = f"its answer of {format_size(answer.bytes)} is too large to be read for a verdict"
    reading = verdict.Reading(unread=unread if votes else None) if text is None else verdict.read(text)
    rejected = votes and Verdict.REJECTED in (ending.verdict, reading.verdict)
    blocked = work.reading.blocked or reading.blocked
    if blocked is not None and not rejected:  # a rejection once written holds, whatever else was said (O1, O6)
        return DelegationBlocked(run=work.run, agent=work.agent, detail=blocked)
    warning = ending.warning or reading.unread
    return DelegationAccepted(
        run=work.run,
        agent=work.agent,
        verdict=(ending.verdict or reading.verdict) if votes else None,
        quote=reading.quote or None if votes else None,
        files=tuple(work.reading.files),
        warning=warning,
    )


def _kept(answer: Answer) -> str | None:
    """The answer's text, durably on the disk; `None` when it is too large to be read for labels."""
    if answer.text is None:
        if answer.bytes > READ_AT_MOST:
            return None
        return answer.path.read_bytes().decode("utf-8", "replace")
    temporary = answer.path.with_name(answer.path.name + ".part")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        view = memoryview(answer.text.encode("utf-8", "replace"))
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise
    finally:
        os.close(descriptor)
    temporary.replace(answer.path)
    return answer.text if answer.bytes <= READ_AT_MOST else None
