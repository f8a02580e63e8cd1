"""Permanents, hafnians and torontonians of torch's tensors, differentiable twice.

Tensors of shape (..., n, n) give tensors of shape (...), of their type. They are computed in doubles: tensors of single
precision are widened and their answers rounded. On an NVIDIA GPU permanents, hafnians and loop hafnians of up to 32 rows are
read where they are, if the GPU is predicted to take less time than the CPU, and derivatives of permanents of 12 to 32 rows
are found and left there. All else is computed on the CPU, and copied to it and back: repeated rows, other derivatives and
second ones, torontonians. A third derivative is refused.
"""

from __future__ import annotations

from importlib import import_module

from . import _core, _np as np
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
    if _is_there(question, *tensors) and question.what != "torontonian":
        matrix = _wide(tensors[0])
        found = question._ask(matrix.reshape((-1, *matrix.shape[-2:])), None, None)
        return _tensor(np.array(found).reshape(matrix.shape[:-2]), matrix).to(tensors[0].dtype)
    return _tensor(question.value(*map(_array, tensors)), tensors[0])


def _wide(tensor: Any) -> Any:
    return tensor.detach().resolve_conj().resolve_neg().to(_torch.complex128 if tensor.is_complex() else _torch.float64)


def _array(tensor: Any) -> Any:
    return _wide(tensor).cpu().numpy()


def _is_there(question: _Question, tensor: Any, *loop: Any) -> bool:
    """Says whether kernels may read the matrices where they are, on an NVIDIA GPU."""
    return bool(tensor.is_cuda and _torch.version.cuda and _core.built_with_cuda and tensor.numel() and tensor.ndim > 1
                and question.rows is None and question.cols is None)


def _gradient_there(question: _Question, tensor: Any, *loop: Any) -> Any:
    """Values and derivatives that a GPU finds and keeps; None where it does not."""
    if not _is_there(question, tensor) or question.what != "permanent" or tensor.shape[-1] != tensor.shape[-2]:
        return None
    matrix = _wide(tensor).contiguous()
    found = matrix.new_empty(matrix.shape[:-2]), _torch.empty_like(matrix)
    errors = [_torch.empty_like(one, dtype=_torch.float64) for one in found]
    addresses = [one.data_ptr() for one in (matrix, found[0], errors[0], found[1], errors[1])]
    is_found = _core.gradients_on_gpu(addresses, found[0].numel(), matrix.shape[-1], matrix.is_complex(), question.asked)
    return [one.to(tensor.dtype) for one in found] if is_found else None


def _tensor(array: Any, like: Any) -> Any:
    # A real answer about complex numbers stays one.
    kind = like.dtype.to_real() if array.dtype.kind == "f" else like.dtype
    return _torch.as_tensor(np.array(array), dtype=kind, device=like.device)


def _forward(context: Any, question: _Question, *tensors: Any) -> Any:
    value, *found = _gradient_there(question, *tensors) or [
        _tensor(one, like) for one, like in zip(question.gradient(*map(_array, tensors)), (tensors[0], *tensors))]
    context.question, context.count = question, len(tensors)
    context.save_for_backward(*tensors, *found)
    context.set_materialize_grads(False)
    return (value, *found)


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
