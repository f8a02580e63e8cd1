"""Arrays in the memory of an NVIDIA GPU: what they say of themselves by ``__cuda_array_interface__`` or DLPack, checked.

Work that their streams have begun is waited for, with all of the device's, before a number is read (core/device_memory.hpp).
"""

from __future__ import annotations

from . import _core, _np as np
from ._errors import input_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._arrays import Array

# DLPack's numbers of memory of CUDA, and of what it shares with the host. All other devices are numpy's to take or to refuse.
_CUDA, _CUDA_MANAGED = 2, 13


class OnGpu:
    """Says where an array is, of what type and shape, and keeps it."""

    def __init__(self, given: Any, said: Any, what: str) -> None:
        self.owner = given
        try:
            self.shape, kind, (self.address, _) = said["shape"], said["typestr"], said["data"]
            self.strides = said.get("strides")
            mask, version = said.get("mask"), said["version"]
            self.dtype = np.dtype(kind + "")  # of a string alone: None would be float64
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise input_error(f"{what} with a __cuda_array_interface__ that is none ({error!r})",
                              "shape, typestr, data and version") from None
        if version not in (2, 3):
            raise input_error(f"{what} with a __cuda_array_interface__ of version {version}", "version 2 or 3")
        if mask is not None:
            raise input_error(f"{what} with masked entries", "an array without a mask")
        if self.dtype.hasobject or self.dtype.itemsize == 0:
            raise input_error(f"{what} of {self.dtype} on a GPU", "numbers")
        sizes = (self.shape, self.shape if self.strides is None else self.strides, (self.address,))
        if not all(isinstance(size, tuple) and all(type(one) is int for one in size) for size in sizes) or (
                len(sizes[0]) != len(sizes[1]) or min((0, self.address, *self.shape)) < 0):
            raise input_error(f"{what} of shape {self.shape} with strides {self.strides} at {self.address!r}",
                              "tuples of ints, and an address")
        in_order, step = [], self.dtype.itemsize
        for size in self.shape[::-1]:
            in_order.append(step)
            step *= size
        if self.strides is None:
            self.strides = tuple(in_order[::-1])
        # Kernels read it as it is: float64 or complex128, in the order of C.
        self.is_plain = self.dtype in (np.float64, np.complex128) and all(
            size == 1 or one == other for size, one, other in zip(self.shape, self.strides, in_order[::-1]))

    def on_host(self) -> Array:
        """A copy in the CPU's memory."""
        if 0 in self.shape:
            return np.empty(self.shape, self.dtype)
        reach = [stride * (size - 1) for size, stride in zip(self.shape, self.strides)]
        before = -sum(min(0, one) for one in reach)
        numbers = np.empty(before + self.dtype.itemsize + sum(max(0, one) for one in reach), np.uint8)
        _core.copy_from_gpu(self.address - before, numbers)
        return np.ndarray(self.shape, self.dtype, numbers, before, self.strides)


def on_gpu(given: Any, what: str) -> OnGpu | None:
    """Says where the array is on a GPU; None where it is somewhere else."""
    if hasattr(given, "__dlpack_device__"):
        try:
            kind, _ = given.__dlpack_device__()
        except (BufferError, RuntimeError, TypeError):  # an array on several devices
            return None
        if kind not in (_CUDA, _CUDA_MANAGED):
            return None
        try:
            # The default stream waits for those that write the array.
            given = _core.GpuArray(given.__dlpack__(stream=1))
        except (BufferError, RuntimeError, TypeError) as error:
            raise input_error(f"{what} of type {type(given).__name__} that its package does not give ({error})",
                              "an array that DLPack takes") from None
    said = getattr(given, "__cuda_array_interface__", None)
    return None if said is None else OnGpu(given, said, what)
