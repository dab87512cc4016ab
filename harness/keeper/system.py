"""Which system this is, as far as the process layer cares."""

from __future__ import annotations

import sys

LINUX = sys.platform == "linux"
"""Whether there are `/proc`, subreapers and signals on a parent's death."""
