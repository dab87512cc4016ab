"""What every test stands on: no folder, locale, zone or mark of the machine it happens to run on."""

from __future__ import annotations

import os

for _name in [name for name in os.environ if name.startswith("MIDWATCH_")]:
    del os.environ[_name]
os.environ["TEXTUAL_ANIMATIONS"] = "none"
os.environ["TZ"] = "UTC"
os.environ.pop("NO_COLOR", None)
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
