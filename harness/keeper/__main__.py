"""Runs the zygote: `python -I -S __main__.py DESCRIPTOR`. Isolated, it is not told where its own package lies."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))  # noqa: PTH100, PTH120

    from harness.keeper.zygote import main

    main(int(sys.argv[1]))
