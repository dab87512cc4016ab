"""Where a command writes: lines for people, one document or one object a line for machines, notes beside both."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable

from tui.text import wrapped

TYPE_CHECKING = False  # importing typing would be a tenth of the start-up
if TYPE_CHECKING:
    from typing import IO, Any

_COLOURS = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "dim": "2", "bold": "1"}


class Terminal:
    """Standard output and error of this process, and what the person's terminal can show.

    Everything is UTF-8 in every locale; `ascii` says that signs should be plain. `width` is `None` when nothing has to
    fit (a pipe). What others wrote must have gone through `tui.text` before it comes here.
    """

    def __init__(
        self,
        out: IO[str],
        err: IO[str],
        *,
        ascii_signs: bool = False,
        colour: bool = False,
        width: int | None = None,
    ) -> None:
        self._out, self._err = out, err
        self.ascii, self.colour, self.width = ascii_signs, colour, width

    @classmethod
    def of_process(cls) -> Terminal:
        """The terminal of this process, or the files and pipes that stand in for it."""
        out, err = _open(sys.stdout), _open(sys.stderr)
        colour = out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(out, err, ascii_signs=not utf8_locale(), colour=colour, width=_width(out))

    @property
    def interactive(self) -> bool:
        """Whether standard output is a terminal."""
        return self._out.isatty()

    def line(self, text: str = "", *, end: str = "\n") -> None:
        """Writes one line, or with another `end` a part of one."""
        self._out.write(text + end)

    def lines(self, lines: Iterable[str]) -> None:
        """Writes these lines."""
        for text in lines:
            self.line(text)

    def note(self, text: str) -> None:
        """Writes a remark to standard error, so that it never mixes with what a script reads."""
        self._out.flush()
        self._err.write(text + "\n")
        self._err.flush()

    def document(self, content: object) -> None:
        """Writes one JSON document, indented for whoever looks at it."""
        self.line(json.dumps(content, indent=2))

    def item(self, content: object) -> None:
        """Writes one JSON object on a line of its own and lets it go at once: for what follows."""
        self.line(json.dumps(content, separators=(", ", ": ")))
        self.flush()

    def documents(self, items: Iterable[object]) -> None:
        """Writes a JSON list item by item, so that it may be longer than memory."""
        between = "[\n"
        for content in items:
            self.line(between + json.dumps(content), end="")
            between = ",\n"
        self.line("[]" if between == "[\n" else "\n]")

    def flush(self) -> None:
        """Lets go what was written."""
        self._out.flush()

    def wrapped(self, text: str, indent: str = "") -> list[str]:
        """`text` as lines that fit, each after `indent`, broken between words where that can be."""
        return wrapped(text, self.width, indent=indent)

    def paint(self, text: str, colour: str | None) -> str:
        """`text` in that colour, if colour is wanted here."""
        if not self.colour or colour is None or not text:
            return text
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"

    def bytes_out(self) -> IO[bytes]:
        """Standard output for bytes as they are."""
        self._out.flush()
        buffer: Any = getattr(self._out, "buffer", None)
        return buffer if buffer is not None else io.BytesIO()


def _open(stream: IO[str] | None) -> IO[str]:
    """The stream, writing UTF-8; one that leads nowhere where the process was started without it."""
    if stream is None:
        return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    return stream


def utf8_locale() -> bool:
    """Whether the person's locale says that the terminal shows UTF-8.

    In the C locale Python turns its UTF-8 mode on and writes another one into `LC_CTYPE`, which is then nobody's word.
    """
    if sys.flags.utf8_mode and os.environ.get("PYTHONUTF8") != "1":
        return False
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = os.environ.get(name)
        if value:
            return "utf8" in value.lower().replace("-", "")
    return False


def _width(stream: IO[str]) -> int | None:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or None if stream.isatty() else None
    except (OSError, ValueError):
        return None
