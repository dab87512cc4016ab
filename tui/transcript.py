"""What one attempt printed, as numbered lines fit to be read; the journal beside it keeps every byte (A4).

A CLI that prints JSON is shown by what its adapter's reader makes of it, written line by line into a file without a
name. Plain output is read from the journal itself. So neither the length of an output nor that of a line matters.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tui.line_file import LONGEST, LineFile
from tui.text import harmless, harmless_bytes, one_line

if TYPE_CHECKING:
    from harness.agents.base import Reader
    from harness.reports import Report

READ = 1 << 20
LONGEST_REPORT = 32 << 20
"""Bytes of one line of JSON; a longer one is not parsed, and said so."""

_TONES = {b"t": "", b"x": "cyan", b"f": "red", b"d": "dim"}
TEXT, TOOL, FAILURE, REMARK = b"t", b"x", b"f", b"d"
STDERR = "standard error"


class Transcript:
    """The output of one attempt and, when it ended badly, what it wrote to standard error.

    One thread calls `grow`; any other may ask for lines. Files that do not exist yet are waited for. `reader` makes the
    adapter's reader; one that makes `None` says that the output is shown as it is.
    """

    def __init__(self, out: Path, err: Path, *, reader: Callable[[], Reader | None], tool_sign: str = ">") -> None:
        self.out, self.err = out, err
        self._reader, self._tool_sign = reader, tool_sign
        self._begun = False
        self._reading: _Reading | None = None
        self._out: LineFile | None = None
        self._err: LineFile | None = None
        self.with_err = False
        """Whether standard error is shown too."""

    @property
    def count(self) -> int:
        """How many lines there are so far."""
        err = 0 if self._err is None or not self._err.count else self._err.count + 1
        return self._out_count + err

    @property
    def _out_count(self) -> int:
        if self._reading is not None:
            return self._reading.lines.count
        return 0 if self._out is None else self._out.count

    def grow(self) -> bool:
        """Reads on, by a bounded amount; whether there was anything new. Raises `OSError`."""
        if not self._begun:
            self._begin()
        self._out = self._out or _opened(self.out)
        grown = False
        if self._out is not None:
            grown = self._out.grow() if self._reading is None else self._reading.read_on(self._out.descriptor)
        if self.with_err:
            self._err = self._err or _opened(self.err)
            grown = (self._err is not None and self._err.grow()) or grown
        return grown

    def _begin(self) -> None:
        """Asks for the reader only now: importing an adapter must not hold up the screen."""
        self._begun = True
        reader = self._reader()
        if reader is not None:
            self._reading = _Reading(reader, self._tool_sign)

    def finish(self) -> None:
        """Nothing more will come: what stands after the last newline is read too."""
        if self._reading is not None:
            self._reading.finish()

    def line(self, number: int) -> tuple[str, str]:
        """The line of that number, harmless, and its tone."""
        count = self._out_count
        if number < count:
            if self._reading is not None:
                data = self._reading.lines.line(number)
                return data[1:].decode("utf-8", "replace"), _TONES.get(data[:1], "")
            assert self._out is not None
            return _cut(self._out, number), ""
        if self._err is None:
            return "", ""
        return (STDERR, "dim") if number == count else (_cut(self._err, number - count - 1), "red")

    def find(self, wanted: str, start: int, *, backwards: bool) -> int | None:
        """The nearest line from `start` on in which `wanted` is, whatever the case."""
        pattern = re.compile(re.escape(wanted.encode()), re.IGNORECASE)
        source = self._reading.lines if self._reading is not None else self._out
        found: list[int] = []
        if source is not None and (backwards or start < self._out_count):
            hit = source.find(pattern, min(start, max(0, self._out_count - 1)), backwards=backwards)
            found += [] if hit is None else [hit]
        if self._err is not None and (start > self._out_count or not backwards):
            base = self._out_count + 1
            hit = self._err.find(pattern, max(0, start - base), backwards=backwards)
            found += [] if hit is None else [base + hit]
        return (max(found) if backwards else min(found)) if found else None

    def texts(self) -> Iterator[str]:
        """All lines from the first to the last, for a pager."""
        number = 0
        while number < self.count:
            yield self.line(number)[0]
            number += 1

    def close(self) -> None:
        """Lets the files go."""
        for one in (self._out, self._err):
            if one is not None:
                with suppress(OSError):
                    os.close(one.descriptor)
        self._out = self._err = None
        if self._reading is not None:
            self._reading.close()


class _Reading:
    """Lines of JSON made readable, in a file of our own without a name."""

    def __init__(self, reader: Reader, tool_sign: str) -> None:
        self._reader = reader
        self._tool_sign = tool_sign
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # lives as long as this object
        self.lines = LineFile(self._file.fileno())
        self._at = 0
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._last_text: str | None = None
        self._finished = False

    def read_on(self, descriptor: int) -> bool:
        """Reads what was appended to the journal, at most `READ` bytes of it."""
        data = os.pread(descriptor, READ, self._at)
        if not data:
            return False
        self._at += len(data)
        complete, newline, rest = data.rpartition(b"\n")
        if newline:
            first, *others = complete.split(b"\n")
            written = self._take(b"".join((*self._rest, first)), self._rest_size + len(first))
            for line in others:
                written += self._take(line, len(line))
            self._rest, self._rest_size = [], 0
            self._write(written)
        self._rest_size += len(rest)
        if self._rest_size <= LONGEST_REPORT:
            self._rest.append(rest)
        else:
            self._rest = []
        return True

    def finish(self) -> None:
        """Reads the last line, which has no newline, and what only the end decides."""
        if self._finished:
            return
        self._finished = True
        written = self._take(b"".join(self._rest), self._rest_size) if self._rest_size else b""
        for report in self._reader.end():
            written += self._shown(report)
        self._write(written)

    def close(self) -> None:
        """Gives the space back."""
        self._file.close()

    def _take(self, line: bytes, size: int) -> bytes:
        if size > LONGEST_REPORT:
            return _lines(REMARK, f"(a line of {size >> 20} MiB, not shown; it is in the journal)")
        return b"".join(self._shown(report) for report in self._reader.read(line))

    def _shown(self, report: Report) -> bytes:
        from harness import reports as r

        match report:
            case r.Text(text=text):
                self._last_text = text
                return _lines(TEXT, text)
            case r.Tool(name=name, detail=detail):
                return _lines(TOOL, one_line(f"{self._tool_sign} {name} {detail}"))
            case r.File(path=path):
                return _lines(TOOL, one_line(f"{self._tool_sign} wrote {path}"))
            case r.Failure(kind=kind, message=message, retrying=retrying):
                again = ", trying again" if retrying else ""
                return _lines(FAILURE, one_line(f"! {kind.replace('_', ' ')}: {message}") + again)
            case r.Blocked(reason=reason):
                return _lines(FAILURE, one_line(f"! blocked: {reason}"))
            case r.Result(ok=True, text=text) if text is not None and text != self._last_text:
                return _lines(TEXT, text)
            case r.Result(ok=False, error=error):
                return _lines(FAILURE, one_line(f"! ended with an error: {error or 'none given'}"))
            case r.Unknown(line=line, why=why):
                shown = _lines(REMARK, harmless_bytes(line[:LONGEST]))
                return shown if why is None else shown + _lines(FAILURE, one_line(f"! not understood: {why}"))
        return b""

    def _write(self, written: bytes) -> None:
        if written:
            os.pwrite(self._file.fileno(), written, self.lines.size)
            while self.lines.grow():
                pass


def _lines(kind: bytes, text: str) -> bytes:
    parts: Sequence[str] = harmless(text).split("\n")
    return b"".join(kind + part.encode("utf-8", "replace") + b"\n" for part in parts)


def _cut(lines: LineFile, number: int) -> str:
    shown = harmless_bytes(lines.line(number))
    length = lines.length(number)
    return shown if length <= LONGEST else f"{shown} ({length} bytes, cut here; the journal has all of it)"


def _opened(path: Path) -> LineFile | None:
    try:
        return LineFile(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW))
    except FileNotFoundError:
        return None
