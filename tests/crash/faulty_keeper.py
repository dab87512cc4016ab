"""The zygote, each of whose keepers kills itself at a chosen point: started as the real one is, by a faulty watch.

`FAULT_NUMBER` and `FAULT_LOG` in its environment say which point, and where each point is noted.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))  # noqa: PTH100, PTH120

    from harness.keeper import zygote
    from harness.keeper.keeping import keep
    from tests.crash.faults import Faults

    number = int(os.environ["FAULT_NUMBER"])
    log = os.open(os.environ["FAULT_LOG"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def keep_and_die(*descriptors: int) -> None:
        """A keeper from its first moment to that point."""
        Faults(number, log).arm()
        keep(*descriptors)

    zygote.keep = keep_and_die  # type: ignore[attr-defined, assignment]
    zygote.main(int(sys.argv[1]))
