"""Permanents, hafnians and torontonians of jax's arrays, differentiable twice, under jit and vmap.

Arrays of shape (..., n, n) give arrays of shape (...), of their type. They are computed on the host in doubles, by a callback:
arrays of single precision are widened and their answers rounded. A third derivative is refused by jax itself.
"""

from __future__ import annotations

from importlib import import_module

from . import _np as np
from .gradients import _Functions, _Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = ["hafnian", "loop_hafnian", "permanent", "torontonian"]

_jax: Any = import_module("jax")


def _differentiable(question: _Question, *given: Any) -> Any:
    jnp = _jax.numpy
    arrays = [jnp.asarray(one) for one in given]
    arrays = [one if jnp.issubdtype(one.dtype, jnp.inexact) else one.astype(float) for one in arrays]
    shape = arrays[0].shape[:-2]

    def called(function: Callable[..., Any], outputs: Sequence[tuple[Any, Any]], *inputs: Any) -> Any:
        """Calls function on the host, for answers of these shapes and types."""

        def on_host(*numbers: Any) -> Any:
            wide = [np.asarray(one, np.complex128 if np.iscomplexobj(one) else np.float64) for one in numbers]
            return tuple(np.asarray(one, kind) for one, (_, kind) in zip(function(*wide), outputs))

        shapes = tuple(_jax.ShapeDtypeStruct(*output) for output in outputs)
        return _jax.pure_callback(on_host, shapes, *inputs, vmap_method="broadcast_all")

    of_value = (shape, question.type_of_value(arrays[0].dtype))
    like = [(one.shape, one.dtype) for one in arrays]

    # The derivatives are a function's answer as well, so that jax finds the second ones as their gradient.
    @_jax.custom_vjp  # type: ignore[untyped-decorator, unused-ignore]
    def gradient(*inputs: Any) -> Any:
        return called(question.gradient, [of_value, *like], *inputs)

    def saved(*inputs: Any) -> Any:
        found = gradient(*inputs)
        return found, (inputs, found[1:])

    def pulled(kept: Any, cotangents: Any) -> Any:
        inputs, derivatives = kept
        second = called(lambda *numbers: question.along(*numbers)[1:], like, *inputs, *cotangents[1:])
        return tuple(part + one for part, one in zip(times(cotangents[0], derivatives), second))

    def times(cotangent: Any, derivatives: Any) -> Any:
        return tuple(cotangent.reshape(cotangent.shape + (1,) * (one.ndim - cotangent.ndim)) * one for one in derivatives)

    gradient.defvjp(saved, pulled)

    @_jax.custom_vjp  # type: ignore[untyped-decorator, unused-ignore]
    def value(*inputs: Any) -> Any:
        return called(lambda *numbers: (question.value(*numbers),), [of_value], *inputs)[0]

    def with_derivatives(*inputs: Any) -> Any:
        found = gradient(*inputs)
        return found[0], found[1:]

    value.defvjp(with_derivatives, lambda derivatives, cotangent: times(cotangent, derivatives))
    return value(*arrays)


_functions = _Functions(_differentiable)
permanent, hafnian, loop_hafnian, torontonian = (
    _functions.permanent, _functions.hafnian, _functions.loop_hafnian, _functions.torontonian)
