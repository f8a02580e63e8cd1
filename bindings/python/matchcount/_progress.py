"""The bar that progress=True shows: tqdm's where it is installed, else a line on stderr."""

import sys
from importlib import import_module
from typing import Any


class Bar:
    """Called with the phase of a run, what is done of it, and the total; closed at the end."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._phase: str | None = None
        try:
            self._tqdm: Any = import_module("tqdm.auto").tqdm
        except ImportError:
            self._tqdm = None

    def __call__(self, phase: str, done: float, total: float) -> None:
        share = min(done / total, 1.0) if total > 0 else 0.0
        if self._tqdm is None:
            sys.stderr.write(f"\r{phase}: {100 * share:5.1f} %")
            sys.stderr.flush()
            self._phase = phase
            return
        if phase != self._phase:
            self.close()
            self._bar = self._tqdm(total=1.0, desc=phase, bar_format="{desc}: {percentage:5.1f} %|{bar}| {elapsed}<{remaining}")
            self._phase = phase
        self._bar.n = share
        self._bar.refresh()

    def close(self) -> None:
        """Ends the line."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        elif self._phase is not None and self._tqdm is None:
            sys.stderr.write("\n")
