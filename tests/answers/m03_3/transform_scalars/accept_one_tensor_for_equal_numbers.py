# Equal numbers of one type share a tensor.
import torch

from common.pt2e import Quantizer

aten = torch.ops.aten
TARGETS = {aten.add.Tensor, aten.add_.Tensor, aten.mul.Tensor, aten.mul_.Tensor}


def transform_scalars(quantizer):
    class WithTensors(Quantizer):
        def transform_for_annotation(self, model):
            made = {}
            for node in list(model.graph.nodes):
                if node.target not in TARGETS or not node.meta["val"].dtype.is_floating_point:
                    continue
                for position, number in enumerate(node.args[:2]):
                    if isinstance(number, torch.fx.Node):
                        continue
                    key = number, node.meta["val"].dtype
                    if key not in made:
                        name = f"number_{len(made)}"
                        model.register_buffer(name, torch.tensor(number, dtype=key[1]))
                        with model.graph.inserting_before(node):
                            made[key] = model.graph.get_attr(name)
                    node.update_arg(position, made[key])
            model.recompile()
            return quantizer.transform_for_annotation(model)

        def annotate(self, model):
            return quantizer.annotate(model)

        def validate(self, model):
            quantizer.validate(model)

    return WithTensors()
