"""numpy, imported when something of it is first asked for: to import it takes longer than most counts."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import *  # noqa: F403
else:
    def __getattr__(name):
        import numpy

        found = globals()[name] = getattr(numpy, name)
        return found
