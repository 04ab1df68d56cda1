# Everything that it has not itself is asked from the given quantizer, whose transform comes last.
import torch

from common.pt2e import Quantizer

aten = torch.ops.aten


class NumbersFirst(Quantizer):
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def transform_for_annotation(self, model):
        for node in model.graph.nodes:
            if node.op == "call_function" and node.target in (
                aten.add.Tensor,
                aten.add_.Tensor,
                aten.mul.Tensor,
                aten.mul_.Tensor,
            ):
                self.one(model, node)
        model.recompile()
        return self.inner.transform_for_annotation(model)

    def one(self, model, node):
        dtype = node.meta["val"].dtype
        if not dtype.is_floating_point:
            return
        for i in (0, 1):
            if not isinstance(node.args[i], torch.fx.Node):
                name = f"const_{node.name}_{i}"
                model.register_buffer(name, torch.tensor(node.args[i], dtype=dtype))
                with model.graph.inserting_before(node):
                    const = model.graph.get_attr(name)
                node.update_arg(i, const)

    def annotate(self, model):
        return self.inner.annotate(model)

    def validate(self, model):
        return self.inner.validate(model)


def transform_scalars(quantizer):
    return NumbersFirst(quantizer)
