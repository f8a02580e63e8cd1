"""Names what can go wrong, as types: bad input is never "unable here", and neither is ever a number."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class MatchcountError(Exception):
    """The root of everything that matchcount raises on purpose."""


class InputError(MatchcountError, ValueError):
    """The data or the arguments are wrong: what was found, and what was expected, in a file at a line."""

    file = ""
    line = 0
    found = ""
    expected = ""
    position = 0  # of a graph among those of a file, from 1
    title = ""  # of a molecule


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


def not_built(name: str) -> NotCompiled:
    """Says which option of CMake builds what a wing has."""
    return NotCompiled(f"matchcount.{name} is not in this build; it is in one that is configured with -DMATCHCOUNT_WITH_PHOTONICS=ON")


class DeviceError(MatchcountError):
    """A device failed under way."""


class WrongType(InputError, TypeError):
    """A keyword has a value of another type."""


# Options of the command line that stand without a value, or have another name here.
_SPELLINGS = {"hafnian --loops": "loops=True, for hafnian(..., loop=True),", "--loops": "loops=True",
              "--skeleton": "skeleton=True", "--resume": "resume=True", "--keep-zeros": "keep_zeros=True"}
_MEANT = {"yes": "True", "no": "False", "tab": r"'\t'"}


def spelled(text: str) -> str:
    """A message of the library, with the options of the command line as keywords."""
    if "--" not in text:
        return text
    from re import findall, sub

    from ._options import GROUPS

    words = {word for group in ("Reading", "Arithmetic") for values, _ in GROUPS[group].values() for word in findall('"(.+?)"', values)}
    choices = "|".join(sorted(words | {"yes", "no", "tab", "cuda", "cpu"}, reverse=True))  # the longer ones first

    def keyword(option: Any) -> str:
        name, value = option[2].replace("-", "_"), option[3] or ""
        known = None if value else _SPELLINGS.get(option[1] + "--" + option[2])
        is_plain = value[:1] in ("'", "") or (value.isdigit() and name != "columns")
        said = _MEANT.get(value) or (value if is_plain else repr(value))
        return known or f"{option[1]}{name}={said}"

    return sub(rf"(hafnian |)--([a-z]+(?:-[a-z]+)*)(?:[ =]({choices}|\d+(?:,\d+)*|'[^']*')(?![\w-]))?", keyword, text)


def input_error(found: str, expected: str, of: type[InputError] = InputError) -> InputError:
    """An InputError of this package's own, worded as the library's."""
    error = of(f"found {found}, expected {expected}")
    error.found, error.expected = found, expected
    return error
