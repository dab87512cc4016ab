"""What the selected agent printed: follows its end, or stays where the reader is and says what came since."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from textual.message import Message

from store.credentials import Remembered
from store.model import State
from store.run import Delegation, Run
from tui.lines import Span
from tui.source import Source
from tui.tail import Tail
from tui.text import one_line
from tui.waiting import waits_for
from tui.widgets.pager import Pager
from tui.wording import short

_ENDED_BADLY = frozenset({State.FAILED, State.BLOCKED})


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A line that was found, and whether the search went on from the other end to find it."""

    line: int
    went_round: bool


class Output(Pager):
    """The innermost place of the way in."""

    class Grown(Message):
        """There is more of the output, or it cannot be read."""

        def __init__(self, tail: Tail) -> None:
            super().__init__()
            self.tail = tail

        def can_replace(self, message: Message) -> bool:
            """One is as good as many."""
            return isinstance(message, Output.Grown) and message.tail is self.tail

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id, following=True)
        self.source: Source | None = None
        self.tail: Tail | None = None
        self.waiting = False
        """Whether something was read that is not shown yet."""
        self._agent = ""
        self._why_empty = self._whose = ""
        self._match: int | None = None
        self._ongoing = False
        self._reaching: int | None = None
        self._err_wanted: Source | None = None

    def show(
        self,
        run: Run | None,
        delegation: Delegation | None,
        *,
        paused: bool,
        credentials: Sequence[Remembered] = (),
    ) -> None:
        """Shows the newest output of this agent."""
        source = None if run is None or delegation is None else Source.of(run, delegation)
        agent = "" if delegation is None else one_line(delegation.name)
        self._ongoing = delegation is not None and not delegation.final
        self._why_empty = _why_empty(run, delegation, paused, credentials)
        alone = run is not None and self.screen.has_class("narrow")
        self._whose = f"  {one_line(run.name)} {short(run.id)}" if alone and run is not None else ""
        if source != self.source or agent != self._agent:
            self.source, self._agent, self.wanted, self._match = source, agent, "", None
            self._open()
        self.caption_now()
        if self.tail is not None and delegation is not None:
            self.tail.transcript.with_err = delegation.state in _ENDED_BADLY or source == self._err_wanted
            self.tail.ended = delegation.final

    def reach(self, line: int, words: str) -> None:
        """Goes to a line of the whole output, standard error included, as soon as that much of it has been read."""
        self._err_wanted, self._reaching = self.source, line
        self.search(words)
        if self.tail is not None:
            self.tail.transcript.with_err = True
        self._reach()

    def _reach(self) -> None:
        if self._reaching is not None and self.count() > self._reaching:
            line, self._reaching = self._reaching, None
            self.found(line)

    def search(self, wanted: str) -> None:
        """Marks these words wherever they are; '' ends the search."""
        self.wanted, self._match = wanted, None
        self.repaint()
        self.caption_now()

    def find(self, *, backwards: bool) -> Match | None:
        """The next line with the words, from the last one found or from what is in view, then round. May take long."""
        tail, total = self.tail, self.count()
        if tail is None or not self.wanted or not total:
            return None
        start = self.place[0] if self._match is None else self._match + (-1 if backwards else 1)
        end = total - 1 if backwards else 0
        try:
            line = tail.transcript.find(self.wanted, start, backwards=backwards) if 0 <= start < total else None
            if line is not None:
                return Match(line=line, went_round=False)
            line = tail.transcript.find(self.wanted, end, backwards=backwards)
        except OSError:  # it was let go of meanwhile
            return None
        return None if line is None else Match(line=line, went_round=True)

    def found(self, line: int) -> None:
        """Goes to a line that was found."""
        self._match = line
        self.go_to(line)

    def count(self) -> int:
        """How many lines have been read."""
        return 0 if self.tail is None else self.tail.transcript.count

    def text(self, number: int) -> Span:
        """One of them."""
        return ("", "") if self.tail is None else self.tail.transcript.line(number)

    def emptiness(self) -> list[str]:
        """Why there is nothing yet."""
        return [self.tail.trouble if self.tail is not None and self.tail.trouble else self._why_empty]

    def caption_now(self) -> None:
        """`review  output`, and below whether it follows."""
        title = f"{self._agent}  output{self._whose}" if self._agent else "Output"
        total, words = self.count(), [f"/{self.wanted}"] if self.wanted else []
        if self._match is not None:
            words.append(f"match in line {self._match + 1} of {total}")
        elif total and self._bottom_place() != (0, 0):
            words.append(f"{total} lines" if self.following else f"line {self.place[0] + 1} of {total}")
        if total and not self.following:
            words.append(f"{self.missed} new, G follows" if self.missed else "G follows")
        elif total and self._ongoing:
            words.append("following")
        self.caption(title, "  ".join(words))

    def on_output_grown(self, message: Grown) -> None:
        """Shows what came."""
        self.waiting = False
        if message.tail is self.tail:
            self.grown()
            self._reach()

    def on_unmount(self) -> None:
        """Nobody looks any more."""
        self._close()

    def visible_text(self) -> str:
        """The lines in view, whole and unwrapped: what is copied."""
        number = self.place[0]
        texts: list[str] = []
        rows = 0
        while number < self.count() and rows < self.size.height:
            texts.append(self.text(number)[0])
            rows += len(self._rows(number))
            number += 1
        return "\n".join(texts)

    def _open(self) -> None:
        self._close()
        self._reaching = None
        if self.source is not None:
            transcript = self.source.open(self.midwatch.places, ">" if self.midwatch.ascii else "\u00bb")
            self.tail = Tail(transcript, self._told, ended=False)
        self.restart(following=True)

    def _close(self) -> None:
        if self.tail is not None:
            self.tail.stop()
            self.tail = None

    def _told(self, tail: Tail) -> None:
        self.waiting = True
        with suppress(RuntimeError):  # the screen has closed meanwhile
            self.post_message(self.Grown(tail))


def _why_empty(run: Run | None, delegation: Delegation | None, paused: bool, credentials: Sequence[Remembered]) -> str:
    if run is None or delegation is None:
        return "the output of an agent is shown here"
    waits = waits_for(run, delegation, paused=paused, credentials=credentials)
    if waits:
        return f"has not started: {one_line(waits)}"
    if delegation.state is State.NOT_STARTED:
        return "was not started"
    return "no output yet" if not delegation.final else "it printed nothing"
