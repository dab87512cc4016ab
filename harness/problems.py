"""What is wrong with one file: gathered, so that a person is told all of it at once, in the order of its lines."""

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

    def raise_all(self) -> None:
        """Raises the problem that comes first in the file, with the others in it, if there is any."""
        found = {str(problem): problem for _, problem in sorted(self._found, key=lambda one: one[0])}
        if found:
            first, *others = found.values()
            first.others = tuple(others)
            raise first
