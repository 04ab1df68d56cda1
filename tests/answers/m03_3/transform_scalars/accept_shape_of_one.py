# Tensors of shape (1,).
import torch

from common.pt2e import Quantizer

aten = torch.ops.aten


def transform_scalars(quantizer):
    targets = {aten.add.Tensor, aten.add_.Tensor, aten.mul.Tensor, aten.mul_.Tensor}

    class NumbersFirst(Quantizer):
        def transform_for_annotation(self, model):
            model = quantizer.transform_for_annotation(model)
            count = 0
            for node in list(model.graph.nodes):
                if node.target not in targets or not node.meta["val"].dtype.is_floating_point:
                    continue
                for i, arg in enumerate(node.args[:2]):
                    if isinstance(arg, (int, float)):
                        while hasattr(model, f"number_{count}"):
                            count += 1
                        name = f"number_{count}"
                        model.register_buffer(name, torch.tensor([arg], dtype=node.meta["val"].dtype))
                        with model.graph.inserting_before(node):
                            attr = model.graph.get_attr(name)
                        node.update_arg(i, attr)
            model.recompile()
            return model

        def annotate(self, model):
            return quantizer.annotate(model)

        def validate(self, model):
            quantizer.validate(model)

    return NumbersFirst()
