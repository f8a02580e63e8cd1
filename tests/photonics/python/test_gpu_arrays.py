"""Arrays in a GPU's memory: what they say of themselves, read or refused on any machine, and where there is a GPU taken there."""

import ctypes
import ctypes.util
import glob

import matchcount as mc
import numpy as np
import pytest
from matchcount import _core

RNG = np.random.default_rng(1)
BATCH = RNG.normal(size=(3, 4, 4))


class Array:
    """Says where an array of numpy's is, as those on a GPU do."""

    def __init__(self, array, address=None, **said):
        self.array = array
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "strides": array.strides, "version": 3, "stream": 1,
            "data": (array.ctypes.data if address is None else address, False), **said}


class Capsule:
    """Claims to be on a device of DLPack's."""

    def __init__(self, array, device=(2, 0)):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        assert options.get("stream", 1) == 1
        if isinstance(self.array, Exception):
            raise self.array
        return self.array.__dlpack__()


@pytest.fixture
def fake_gpu(monkeypatch):
    """A GPU whose memory is the host's; returns the batches that it was asked for."""
    asked = []

    def batch_on_gpu(address, shape, is_complex, what, keywords):
        asked.append((address, shape, is_complex, what))
        batch = np.empty(shape, complex if is_complex else float)
        ctypes.memmove(batch.ctypes.data, address, batch.nbytes)
        return _core.batch(batch.reshape((-1, *shape[-2:])), what, keywords)

    monkeypatch.setattr(_core, "copy_from_gpu", lambda address, out: ctypes.memmove(out.ctypes.data, address, out.nbytes))
    monkeypatch.setattr(_core, "batch_on_gpu", batch_on_gpu)
    return asked


@pytest.mark.parametrize("wrap", [Array, Capsule, lambda array: Array(array, version=2, stream=None, strides=None)])
def test_batches_are_asked_about_where_they_are(fake_gpu, wrap):
    symmetric = BATCH + BATCH.transpose(0, 2, 1)
    assert mc.permanent(wrap(BATCH)) == mc.permanent(BATCH)
    assert mc.permanent(wrap(BATCH * 1j)) == mc.permanent(BATCH * 1j)
    assert mc.hafnian(wrap(symmetric)) == mc.hafnian(symmetric)
    assert mc.hafnian(wrap(symmetric), loop=True) == mc.hafnian(symmetric, loop=True)
    assert abs(mc.permanent(wrap(BATCH[1])) - mc.permanent(BATCH[1])) < 1e-12
    assert [one[1:] for one in fake_gpu] == [((3, 4, 4), False, "permanent"), ((3, 4, 4), True, "permanent"),
                                             ((3, 4, 4), False, "hafnian"), ((3, 4, 4), False, "loop hafnian"),
                                             ((4, 4), False, "permanent")]


@pytest.mark.parametrize("array", [
    BATCH.astype(np.float32), BATCH.astype(np.complex64), (BATCH * 9).astype(np.int8), BATCH > 0, BATCH.astype(">f8"),
    BATCH[:, ::-1], BATCH[::2, :, ::-1], BATCH.transpose(0, 2, 1), np.asfortranarray(BATCH), RNG.normal(size=(3, 4, 8))[..., ::2],
    np.broadcast_to(BATCH[:, :1], BATCH.shape), np.empty((0, 4, 4)), np.empty((2, 0, 0))])
def test_other_arrays_come_to_the_host_as_they_are(fake_gpu, array):
    assert mc.permanent(Array(array)) == mc.permanent(array)
    if array.dtype.isnative and array.flags.writeable:
        assert mc.permanent(Capsule(array)) == mc.permanent(array)
    assert fake_gpu == []


def test_every_function_takes_them(fake_gpu):
    symmetric = BATCH[0] + BATCH[0].T
    assert mc.determinant(Array(BATCH[0])) == mc.determinant(BATCH[0])
    assert mc.permanent(Array(BATCH[0]), rows=[0, 0, 1], cols=[1, 2, 3]) == mc.permanent(BATCH[0], rows=[0, 0, 1], cols=[1, 2, 3])
    assert mc.torontonian(Capsule(symmetric / 40)) == mc.torontonian(symmetric / 40)
    assert np.array_equal(mc.gradients.permanent(Capsule(BATCH))[1], mc.gradients.permanent(BATCH)[1])
    assert mc.count_perfect_matchings(Array((BATCH[0] > -9).astype(int))) == 24
    assert fake_gpu == []


@pytest.mark.parametrize("said, words", [
    ({"mask": object()}, "masked"), ({"version": 1}, "version 1"), ({"version": None}, "version None"),
    ({"typestr": "|O"}, "object"), ({"typestr": "|V0"}, "V"), ({"typestr": "<f9"}, "none"), ({"typestr": None}, "none"),
    ({"typestr": "<M8[s]"}, "datetime"), ({"data": None}, "none"), ({"data": (None, False)}, "None"),
    ({"data": (-8, False)}, "-8"), ({"shape": (3, -4, 4)}, "-4"), ({"shape": (3, 4.0, 4)}, "4.0"),
    ({"shape": [3, 4, 4]}, "3, 4, 4"), ({"shape": None}, "None"), ({"strides": (8, 8)}, "8, 8"), ({"strides": "abc"}, "abc"),
    ({"shape": (3, 4, 5), "strides": None}, "4 x 5"), ({"shape": (12,), "strides": None}, "1 dimensions")])
def test_what_is_no_array_is_refused_by_name(fake_gpu, said, words):
    with pytest.raises(mc.InputError) as refused:
        mc.permanent(Array(np.zeros((3, 4, 5)), **said))
    assert words in str(refused.value)


def test_packages_and_devices_that_refuse_are_named(fake_gpu):
    array = Array(BATCH)
    del array.__cuda_array_interface__["typestr"]
    with pytest.raises(mc.InputError, match="typestr"):
        mc.permanent(array)
    with pytest.raises(mc.InputError, match="Capsule.*requires grad"):
        mc.permanent(Capsule(BufferError("requires grad")))
    with pytest.raises(mc.InputError, match="Capsule"):
        mc.permanent(Capsule(RuntimeError("Metal"), (8, 0)))
    with pytest.raises(mc.InputError, match="Capsule"):
        mc.permanent(Capsule(BufferError("ROCm"), (10, 0)))
    assert mc.permanent(Capsule(BATCH, (1, 0))) == mc.permanent(BATCH)  # the host's
    assert mc.permanent(Capsule(BATCH, (13, 0))) == mc.permanent(BATCH)  # shared with the host
    assert len(fake_gpu) == 1


def test_addresses_that_are_no_gpus_are_refused():
    for array in (Array(BATCH), Capsule(BATCH), Array(BATCH[:, ::-1]), Array(BATCH, address=0), Array(BATCH, address=64)):
        with pytest.raises(mc.MatchcountError) as refused:
            mc.permanent(array)
        assert isinstance(refused.value, mc.InputError if mc.devices() else mc.Unable)


@pytest.mark.parametrize("is_complex", [False, True])
def test_torch_hands_over_tensors_as_they_lie(is_complex, fake_gpu, monkeypatch):
    torch = pytest.importorskip("torch")
    counts = []

    def gradients_on_gpu(addresses, count, n, matrix_is_complex, keywords):
        assert matrix_is_complex == is_complex
        if n < 12:
            return False
        counts.append(count)
        matrices = np.empty((count, n, n), complex if is_complex else float)
        ctypes.memmove(matrices.ctypes.data, addresses[0], matrices.nbytes)
        values, derivatives = mc.gradients.permanent(matrices)
        for address, found in zip(addresses[1:], (values, values.error, derivatives, derivatives.error)):
            found = np.ascontiguousarray(found)
            ctypes.memmove(address, found.ctypes.data, found.nbytes)
        return True

    monkeypatch.setattr(mc.torch, "_is_there", lambda question, *tensors: True)
    monkeypatch.setattr(_core, "gradients_on_gpu", gradients_on_gpu)
    for n, kind in ((12, np.float64), (12, np.float32), (5, np.float64)):
        array = RNG.normal(size=(2, 3, n, n)).astype(kind)
        if is_complex:
            array = array * np.array(1 + 0.5j, np.complex64)
        matrix = torch.from_numpy(array.swapaxes(-1, -2)).requires_grad_()
        value = mc.torch.permanent(matrix)
        value.abs().sum().backward()
        truth, derivatives = mc.gradients.permanent(array.swapaxes(-1, -2))
        tolerance = (1e-5 if kind is np.float32 else 1e-10) * abs(derivatives).max()
        assert value.dtype == matrix.dtype == matrix.grad.dtype
        assert np.allclose(value.detach().numpy(), truth, rtol=0, atol=tolerance)
        assert np.allclose(matrix.grad.numpy(), (truth / abs(truth))[..., None, None] * derivatives.conj(), rtol=0, atol=tolerance)
        assert np.allclose(mc.torch.permanent(matrix.detach()).numpy(), truth, rtol=0, atol=tolerance)
        symmetric = matrix.detach() + matrix.detach().mT
        assert mc.torch.hafnian(symmetric).dtype == matrix.dtype
    assert counts == [6, 6]


# ---- With a GPU.


class Runtime:
    """Memory of the first GPU, by CUDA's runtime alone."""

    def __init__(self):
        names = [ctypes.util.find_library("cudart"), *glob.glob("/usr/local/cuda*/lib64/libcudart.so*")]
        for name in filter(None, names):
            try:
                self.library = ctypes.CDLL(name)
            except OSError:
                continue
            self.library.cudaMalloc.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]
            self.library.cudaMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
            return
        pytest.skip("no runtime of CUDA's")

    def put(self, array):
        """A copy on the GPU, which stays there."""
        address = ctypes.c_void_p()
        assert self.library.cudaMalloc(ctypes.byref(address), array.nbytes) == 0
        assert self.library.cudaMemcpy(address, array.ctypes.data, array.nbytes, 1) == 0
        return Array(array, address.value)


@pytest.fixture
def runtime():
    if not mc.devices():
        pytest.skip("no GPU")
    return Runtime()


def test_arrays_on_a_gpu_have_the_answers_of_the_host(runtime):
    big = RNG.normal(size=(500, 12, 12)) + 1j * RNG.normal(size=(500, 12, 12))
    for array in (BATCH, big, big + big.transpose(0, 2, 1), RNG.normal(size=(2, 20, 20)), BATCH.astype(np.float32)):
        there = runtime.put(array)
        assert mc.permanent(there, device="cuda") == mc.permanent(array, device="cuda")
        for one, other in zip(mc.permanent(there), mc.permanent(array)):
            assert abs(one - other) <= one.error + other.error
        address = there.__cuda_array_interface__["data"][0]
        too_far = Array(array, address, shape=(1 << 24, *array.shape[1:]), strides=None)
        with pytest.raises(mc.InputError, match="allocation"):
            mc.permanent(too_far)
    backwards = runtime.put(BATCH)
    last = backwards.__cuda_array_interface__["data"][0] + BATCH.nbytes - 8
    reversed_ = Array(BATCH[::-1, ::-1, ::-1], last)
    assert mc.permanent(reversed_) == mc.permanent(BATCH[::-1, ::-1, ::-1])


def test_derivatives_are_left_on_the_gpu(runtime):
    matrices = RNG.normal(size=(50, 13, 13))
    there = [runtime.put(one) for one in (matrices, np.zeros(50), np.zeros(50), matrices * 0, matrices * 0)]
    addresses = [one.__cuda_array_interface__["data"][0] for one in there]
    asked = {"precision": "double"}
    assert _core.gradients_on_gpu(addresses, 50, 13, False, asked)
    values, derivatives = mc.gradients.permanent(matrices, device="cuda")
    for one, truth in zip(there[1:], (values, values.error, derivatives, derivatives.error)):
        found = np.empty_like(one.array)
        _core.copy_from_gpu(one.__cuda_array_interface__["data"][0], found.view(np.uint8).reshape(-1))
        assert np.array_equal(found, truth)
    assert not _core.gradients_on_gpu(addresses, 1, 11, False, asked)


@pytest.mark.parametrize("is_complex", [False, True])
def test_torch_reads_and_writes_tensors_where_they_are(is_complex, monkeypatch):
    torch = pytest.importorskip("torch")
    if not (torch.cuda.is_available() and mc.devices()):
        pytest.skip("no GPU")
    array = RNG.normal(size=(2, 300, 12, 12)) + (1j * RNG.normal(size=(2, 300, 12, 12)) if is_complex else 0)
    monkeypatch.setattr(torch.Tensor, "numpy", None)  # through the host there is no way
    for kind in (np.complex128, np.complex64) if is_complex else (np.float64, np.float32):
        matrix = torch.from_numpy(array.astype(kind)).cuda().requires_grad_()
        torch.cuda.synchronize()
        with torch.cuda.stream(torch.cuda.Stream()):
            value = mc.torch.permanent(matrix * 1)
            value.abs().sum().backward()
        torch.cuda.synchronize()
        assert value.device == matrix.device == matrix.grad.device and value.dtype == matrix.dtype == matrix.grad.dtype
        truth, derivatives = mc.gradients.permanent(array.astype(kind), device="cuda")
        tolerance = 1e-10 if np.dtype(kind).itemsize == array.itemsize else 1e-4
        scale = abs(derivatives).max()
        assert np.allclose(value.detach().cpu().tolist(), truth, rtol=0, atol=tolerance * scale)
        phase = (truth / abs(truth))[..., None, None]
        assert np.allclose(matrix.grad.cpu().tolist(), phase * derivatives.conj(), rtol=0, atol=tolerance * scale)
    for function, keywords in ((mc.torch.hafnian, {}), (mc.torch.loop_hafnian, {"loop": True})):
        symmetric = array + np.swapaxes(array, -1, -2)
        found = function(torch.from_numpy(symmetric).cuda())
        assert np.allclose(found.cpu().tolist(), np.reshape(mc.hafnian(symmetric.reshape(-1, 12, 12), **keywords), (2, 300)))
