"""What every test stands on: no folder, locale, zone or mark of the machine it happens to run on."""

from __future__ import annotations

import os

import pytest

for _name in [name for name in os.environ if name.startswith("MIDWATCH_")]:
    del os.environ[_name]
os.environ["TEXTUAL_ANIMATIONS"] = "none"
os.environ["TZ"] = "UTC"
os.environ.pop("NO_COLOR", None)
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-long", action="store_true", help="runs whole what otherwise runs in a short form")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--run-long"):
        short = [item for item in items if item.get_closest_marker("long") is None]
        config.hook.pytest_deselected(items=[item for item in items if item not in short])
        items[:] = short
