"""The fake model server as a test has it: started on loopback, asked what reached it."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from store.model import Counts

SERVER = Path(__file__).with_name("fake_model.py")
MAX_SECONDS = 600  # it ends by itself then, whatever becomes of the test


@dataclass(frozen=True, kw_only=True)
class FakeModel:
    """A running server; `base` is its address, `log` its own record of what was asked."""

    base: str
    log: Path

    def requests(self) -> list[dict[str, Any]]:
        """Every model request so far, with its status and what it was billed."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [one for one in map(json.loads, lines) if one["ev"] == "req" and one["kind"] != "count"]

    def billed(self, since: int = 0) -> Counts:
        """What the answers after the first `since` requests were billed, added up."""
        usages = [one["usage"] for one in self.requests()[since:] if one["usage"]]
        total = [sum(column) for column in zip(*usages, strict=True)] or [0, 0, 0, 0]
        return Counts(input=total[0], output=total[1], cache_write=total[2], cache_read=total[3])

    def billed_without_writes(self, since: int = 0) -> Counts:
        """As `billed`, as a protocol without a count of cache writes tells it: they are part of the input."""
        real = self.billed(since)
        return replace(real, input=(real.input or 0) + (real.cache_write or 0), cache_write=None)

    def statuses(self, since: int = 0) -> list[int]:
        """What it answered to the requests after the first `since`."""
        return [one["status"] for one in self.requests()[since:]]

    def admin(self, **what: str) -> None:
        """Turns one of its switches: `mode="expired"` refuses every credential, `revoke` one by its fingerprint."""
        body = json.dumps(what).encode()
        with urllib.request.urlopen(f"{self.base}/admin/auth", body, timeout=10):
            pass


@contextmanager
def fake_model(folder: Path, *, scenario: Sequence[dict[str, Any]] = ()) -> Iterator[FakeModel]:
    """A server that keeps its log in `folder`; `scenario` are rules for prompts without markers."""
    log = folder / "requests.jsonl"
    argv = [sys.executable, str(SERVER), "--log", str(log), "--max-seconds", str(MAX_SECONDS)]
    if scenario:
        (folder / "scenario.json").write_text(json.dumps({"rules": list(scenario)}))
        argv += ["--scenario", str(folder / "scenario.json")]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            word, base = server.stdout.readline().split()
            assert word == "LISTENING"
            yield FakeModel(base=base, log=log)
        finally:
            server.terminate()
