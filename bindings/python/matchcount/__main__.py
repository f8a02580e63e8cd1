"""Runs the program that is installed with the package: ``python -m matchcount count FILE``."""

import os
import sys
from importlib.metadata import files


def program() -> str:
    """Returns the path of the program ``matchcount`` that is installed with this package.

    Raises
    ------
    FileNotFoundError
        If the package was built without it.
    """
    for file in files("matchcount") or ():
        if file.name == "matchcount" and file.parent.name == "bin":
            return str(file.locate())
    raise FileNotFoundError("this build of the package has no program; build it with cmake, see README.md")


def main() -> None:
    """Becomes the program, with the arguments of this process."""
    os.execv(program(), ["matchcount", *sys.argv[1:]])


if __name__ == "__main__":
    main()
