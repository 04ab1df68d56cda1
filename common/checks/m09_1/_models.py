"""QDQ models in ONNX, written out node by node: an export of the same takes a second, this takes none."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case

if TYPE_CHECKING:
    import numpy as np
    import torch

SIZE = 12
"""Pictures are 3 × SIZE × SIZE."""


def model_bytes(case: Case) -> bytes:
    """Return the .onnx file of a case: `form` says which model, `misleading` gives its nodes names of other ops."""
    return _bytes_once(case.form, case.seed, bool(case.get("misleading")))


def model_input(case: Case, batch: int = 48) -> "torch.Tensor":
    """Return pictures for the model of a case."""
    import torch

    return torch.randn(batch, 3, SIZE, SIZE, generator=torch.Generator().manual_seed(case.seed + 1))


@lru_cache(maxsize=16)
def _bytes_once(form: str, seed: int, misleading: bool) -> bytes:
    builder = _Builder(seed)
    end = _FORMS[form](builder)
    return builder.finish(end, misleading)


class _Builder:
    def __init__(self, seed: int) -> None:
        import numpy as np

        self.rng = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, array: "np.ndarray") -> str:
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=f"node_{len(self.nodes)}", **attributes))
        return name

    def qdq(self, value: str, scale: float, zero_point: int) -> str:
        """Quantize and dequantize: the scale gets a small part of its own from the seed."""
        import numpy as np

        s = self.constant(np.array(scale * self.rng.uniform(0.9, 1.1), dtype=np.float32))
        z = self.constant(np.array(zero_point, dtype=np.int8))
        return self.op("DequantizeLinear", self.op("QuantizeLinear", value, s, z), s, z)

    def weight(self, *shape: int) -> str:
        import numpy as np

        integers = self.constant(self.rng.integers(-127, 128, shape, dtype=np.int8))
        scale = self.constant(self.rng.uniform(0.002, 0.004, shape[0]).astype(np.float32))
        zero = self.constant(np.zeros(shape[0], dtype=np.int8))
        return self.op("DequantizeLinear", integers, scale, zero, axis=0)

    def fp32(self, *shape: int) -> str:
        import numpy as np

        return self.constant(self.rng.normal(0, 0.2, shape).astype(np.float32))

    def conv(self, value: str, into: int, out: int, kernel: int = 3, *, quantized: bool = True) -> str:
        weight = self.weight(out, into, kernel, kernel) if quantized else self.fp32(out, into, kernel, kernel)
        return self.op("Conv", value, weight, self.fp32(out), pads=[kernel // 2] * 4, kernel_shape=[kernel, kernel])

    def linear(self, value: str, into: int, out: int) -> str:
        return self.op("Gemm", value, self.weight(out, into), self.fp32(out), transB=1)

    def finish(self, end: str, misleading: bool) -> bytes:
        from onnx import TensorProto, helper

        if misleading:
            for node in self.nodes:
                others = {"Conv": "QLinearConv", "Gemm": "QGemm", "Relu": "Conv", "QuantizeLinear": "QLinearConv"}
                node.name = f"{others.get(node.op_type, 'Gemm')}_{node.output[0]}"
        given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, SIZE, SIZE])
        graph = helper.make_graph(
            self.nodes, "m", [given], [helper.make_tensor_value_info(end, TensorProto.FLOAT, None)], self.constants
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
        return model.SerializeToString()


def _one(b: _Builder) -> str:
    y = b.op("Relu", b.conv(b.qdq("x", 0.006, 3), 3, 8))
    return b.qdq(y, 0.02, -128)


def _chain(b: _Builder) -> str:
    y = b.qdq(b.op("Relu", b.conv(b.qdq("x", 0.006, 3), 3, 6)), 0.02, -128)
    y = b.qdq(b.conv(y, 6, 8, 1), 0.015, 7)
    return b.qdq(b.op("Relu", b.conv(y, 8, 4)), 0.012, -128)


def _two_readers(b: _Builder) -> str:
    x = b.qdq("x", 0.006, 3)
    y = b.qdq(b.op("Relu", b.conv(x, 3, 4)), 0.02, -128)
    z = b.qdq(b.conv(x, 3, 4, 1), 0.02, 5)
    return b.qdq(b.op("Add", y, z), 0.03, -20)


def _middle(b: _Builder) -> str:
    """A conv in the middle that no q/dq touches."""
    y = b.qdq(b.op("Relu", b.conv(b.qdq("x", 0.006, 3), 3, 6)), 0.02, -128)
    y = b.op("Relu", b.op("Tanh", b.conv(b.op("Tanh", y), 6, 6, 1, quantized=False)))
    return b.qdq(b.conv(b.qdq(y, 0.02, -128), 6, 4), 0.01, 0)


def _fp32_weight(b: _Builder) -> str:
    """A conv between q/dq whose weight was left in fp32: ONNX Runtime may quantize it by itself."""
    y = b.qdq(b.op("Relu", b.conv(b.qdq("x", 0.006, 3), 3, 6)), 0.02, -128)
    y = b.op("Relu", b.conv(y, 6, 6, 1, quantized=False))
    return b.qdq(b.conv(b.qdq(y, 0.02, -128), 6, 4), 0.01, 0)


def _linear(b: _Builder) -> str:
    y = b.qdq(b.op("Relu", b.conv(b.qdq("x", 0.006, 3), 3, 2)), 0.02, -128)
    y = b.op("Flatten", y, axis=1)
    y = b.qdq(y, 0.02, -128)
    return b.qdq(b.linear(y, 2 * SIZE * SIZE, 6), 0.05, 4)


def _fp32(b: _Builder) -> str:
    y = b.op("Relu", b.conv("x", 3, 4, quantized=False))
    return b.conv(y, 4, 2, 1, quantized=False)


_FORMS = {
    "one": _one,
    "chain": _chain,
    "two readers": _two_readers,
    "middle": _middle,
    "fp32 weight": _fp32_weight,
    "linear": _linear,
    "fp32": _fp32,
}
