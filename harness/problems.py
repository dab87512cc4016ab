"""What is wrong with one file: gathered, so that a person is told the first of it, whatever order it was found in."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.errors import FileError
from harness.toml_file import TomlFile
from harness.toml_lines import KeyPath


@dataclass(kw_only=True, slots=True)
class Problems:
    """What is wrong with one file so far."""

    file: TomlFile
    error: type[FileError]
    _found: list[tuple[int, FileError]] = field(default_factory=list)

    def add(self, path: KeyPath, sentence: str) -> None:
        """Notes a problem at the line of a key path."""
        line = self.file.lines.line(path)
        self._found.append((line, self.error(self.file.path, line, sentence)))

    def add_within(self, path: KeyPath, line: int, sentence: str) -> None:
        """Notes a problem in the text at a key path, at one of the text's own lines."""
        line = self.file.lines.line_within(path, line)
        self._found.append((line, self.error(self.file.path, line, sentence)))

    def add_elsewhere(self, path: KeyPath, problem: FileError) -> None:
        """Notes a problem in a file that is named at a key path of this one."""
        self._found.append((self.file.lines.line(path), problem))

    def raise_first(self) -> None:
        """Raises the problem that comes first in the file, if there is any."""
        if self._found:
            raise min(self._found, key=lambda one: one[0])[1]
