"""Permanents, hafnians and torontonians of torch's tensors, differentiable twice.

Tensors of shape (..., n, n) give tensors of shape (...), of their type. They are computed on the CPU in doubles: tensors of
single precision are widened and their answers rounded, those on a GPU are copied to the host and their answers back. A third
derivative is refused.
"""

from __future__ import annotations

from importlib import import_module

from . import _np as np
from ._errors import Unable, input_error
from .gradients import _Functions, _Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["hafnian", "loop_hafnian", "permanent", "torontonian"]

_torch: Any = import_module("torch")


def _value(question: _Question, *tensors: Any) -> Any:
    for tensor in tensors:
        if not isinstance(tensor, _torch.Tensor) or not (tensor.is_floating_point() or tensor.is_complex()):
            raise input_error(f"{getattr(tensor, 'dtype', type(tensor).__name__)}", "a tensor of floats or complex numbers")
    if _torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        return _Gradient.apply(question, *tensors)[0]
    return _tensor(question.value(*map(_array, tensors)), tensors[0])


def _array(tensor: Any) -> Any:
    wide = _torch.complex128 if tensor.is_complex() else _torch.float64
    return tensor.detach().resolve_conj().to("cpu", wide).numpy()


def _tensor(array: Any, like: Any) -> Any:
    # A real answer about complex numbers stays one.
    kind = like.dtype.to_real() if array.dtype.kind == "f" else like.dtype
    return _torch.as_tensor(np.array(array), dtype=kind, device=like.device)


def _forward(context: Any, question: _Question, *tensors: Any) -> Any:
    value, *derivatives = question.gradient(*map(_array, tensors))
    found = [_tensor(derivative, tensor) for derivative, tensor in zip(derivatives, tensors)]
    context.question, context.count = question, len(tensors)
    context.save_for_backward(*tensors, *found)
    context.set_materialize_grads(False)
    return (_tensor(value, tensors[0]), *found)


def _backward(context: Any, of_value: Any, *of_derivatives: Any) -> Any:
    """The gradient, of which torch finds that in turn: the derivatives are an output of the function as well."""
    tensors, derivatives = context.saved_tensors[:context.count], context.saved_tensors[context.count:]
    parts: list[Any] = [None] * context.count
    if of_value is not None:
        parts = [of_value.reshape(of_value.shape + (1,) * (one.ndim - of_value.ndim)) * one.conj() for one in derivatives]
    if any(one is not None for one in of_derivatives):
        directions = [_torch.zeros_like(tensor) if one is None else one for one, tensor in zip(of_derivatives, tensors)]
        second = _Second.apply(context.question, *tensors, *directions)
        parts = [two if one is None else one + two for one, two in zip(parts, second)]
    return (None, *parts)


def _second_forward(context: Any, question: _Question, *given: Any) -> Any:
    count = len(given) // 2
    arrays = [_array(tensor) for tensor in given[:count]]
    directions = [_array(tensor.conj()) for tensor in given[count:]]
    _, *second = question.along(*arrays, *directions)
    return tuple(_tensor(one.conj(), tensor) for one, tensor in zip(second, given))


def _refuse(context: Any, *_: Any) -> Any:
    raise Unable("a third derivative: first and second ones are known")


# Made so since torch's types are not known where it is not installed.
_Gradient: Any = type("Gradient", (_torch.autograd.Function,),
                      {"forward": staticmethod(_forward), "backward": staticmethod(_backward)})
_Second: Any = type("Second", (_torch.autograd.Function,),
                    {"forward": staticmethod(_second_forward), "backward": staticmethod(_refuse)})

_functions = _Functions(_value)
permanent, hafnian, loop_hafnian, torontonian = (
    _functions.permanent, _functions.hafnian, _functions.loop_hafnian, _functions.torontonian)
