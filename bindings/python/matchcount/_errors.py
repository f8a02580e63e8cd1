"""Names what can go wrong, as types: bad input is never "unable here", and neither is ever a number."""

from __future__ import annotations


class MatchcountError(Exception):
    """The root of everything that matchcount raises on purpose."""


class InputError(MatchcountError, ValueError):
    """The data or the arguments are wrong: what was found, and what was expected, in a file at a line."""

    file = ""
    line = 0
    found = ""
    expected = ""


class Unable(MatchcountError):
    """The question is well posed, but not to be answered here: too large, time over, no method applies."""


class OverLimit(Unable):
    """A limit on time or memory was passed, or a forecast says that it would be: then what the cheapest way needs."""

    seconds: float | None = None
    memory_bytes: float | None = None


class Cancelled(Unable):
    """The work was cancelled while it ran."""


class NotCompiled(Unable):
    """A backend was asked for that this build does not have."""


class DeviceError(MatchcountError):
    """A device failed under way."""


def input_error(found: str, expected: str) -> InputError:
    """An InputError of this package's own, worded as the library's."""
    error = InputError(f"found {found}, expected {expected}")
    error.found, error.expected = found, expected
    return error
