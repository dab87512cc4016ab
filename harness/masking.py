"""Which values of an environment are secrets, and keeping them out of what is shown or kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial

SHORTEST = 8  # a shorter value stands in too many texts that are no secret
_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|COOKIE|BEARER", re.IGNORECASE)
_PASSWORD_IN_ADDRESS = re.compile(r"://[^:/@\s]*:([^@/\s]+)@")
_HIDDEN = "***"


def secret_values(env: Mapping[str, str]) -> frozenset[str]:
    """The values that must not be seen: by the name of the variable, and passwords inside addresses.

    Of a value of several lines each long line counts by itself, as it would be printed. Rather one too many than one
    too few: a harmless value under such a name is hidden too.
    """
    found: set[str] = set()
    for name, value in env.items():
        if _NAMES.search(name):
            found.update(part for part in (value, *value.splitlines()) if len(part.strip()) >= SHORTEST)
        found.update(part for part in _PASSWORD_IN_ADDRESS.findall(value) if len(part) >= SHORTEST)
    return frozenset(found)


def mask(text: str, secrets: Collection[str]) -> str:
    """`text` with every secret in it hidden."""
    return masking(secrets)(text)


def masking(secrets: Collection[str]) -> Callable[[str], str]:
    """What hides every one of these secrets in a text, the longest first, so that no rest of a longer one is left."""
    pattern = "|".join(re.escape(one) for one in sorted(secrets, key=len, reverse=True) if one)
    return partial(re.compile(pattern).sub, _HIDDEN) if pattern else str
