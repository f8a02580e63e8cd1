"""The bar that progress=True shows: tqdm's where it is installed, else a line on stderr."""

import sys

from ._errors import input_error


class Bar:
    def __init__(self):
        self._bar = None
        self._phase = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm = tqdm

    def __call__(self, phase, done, total):
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

    def close(self):
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        elif self._phase is not None and self._tqdm is None:
            sys.stderr.write("\n")


class shown:
    """A context whose value is what the library reports to: a Bar for True, None for False, else the callable given."""

    def __init__(self, progress):
        if progress not in (None, True, False) and not callable(progress):
            raise input_error(f"progress={progress!r}", "True, False, or a callable of phase, done and total")
        self._report = Bar() if progress is True else (progress or None)

    def __enter__(self):
        return self._report

    def __exit__(self, *_):
        if isinstance(self._report, Bar):
            self._report.close()
