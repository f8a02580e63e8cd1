"""Writes the types of the extension module's options, for checkers: groups.py FOLDER OF THE MODULE, FILE."""

import sys

sys.path.insert(0, sys.argv[1])
import _core

with open(sys.argv[2], "w") as out:
    out.write("from fractions import Fraction\nfrom os import PathLike\nfrom typing import Literal, TypedDict\n")
    for group, options in _core.option_groups().items():
        out.write(f"\nclass {group}(TypedDict, total=False):\n")
        for name, (values, _) in options.items():
            for word, type in ((" or ", " | "), ("{", "Literal["), ("}", "]"), ("path", "str | bytes | PathLike[str]")):
                values = values.replace(word, type)
            out.write(f"    {name}: {values} | None\n")
