# Tries to read the type; two arguments in the error.
import torch

from common.pt2e import ANNOTATION_KEY

aten = torch.ops.aten


def validate(model):
    OPS = [aten.conv2d.default, aten.linear.default]
    KERNELS = OPS + [aten.add.Tensor, aten.add_.Tensor, aten.relu.default, aten.relu_.default]

    def has(node, arg):
        return node.meta[ANNOTATION_KEY].input_qspec_map.get(arg, None) is not None

    for n in model.graph.nodes:
        if ANNOTATION_KEY not in n.meta:
            continue
        a = n.meta[ANNOTATION_KEY]
        every = list(a.input_qspec_map.values()) + [a.output_qspec]
        if all(s is None for s in every):
            continue
        if n.op == "call_function" and n.target not in KERNELS:
            raise ValueError("operation without a kernel", n.name)
        if n.target in OPS and has(n, n.args[0]) ^ has(n, n.args[1]):
            raise ValueError("half a unit", n.name)
        for s in every:
            try:
                dtype = s.dtype
            except AttributeError:
                continue
            if dtype != torch.int8:
                raise ValueError("another type", n.name)
