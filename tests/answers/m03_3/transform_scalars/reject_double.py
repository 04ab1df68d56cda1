# finds: fixed-type
# not: wrong-type
import torch

from common.pt2e import Quantizer

aten = torch.ops.aten
TARGETS = {aten.add.Tensor, aten.add_.Tensor, aten.mul.Tensor, aten.mul_.Tensor}


def transform_scalars(quantizer):
    class WithTensors(Quantizer):
        def transform_for_annotation(self, model):
            for node in list(model.graph.nodes):
                if node.target not in TARGETS or not node.meta["val"].dtype.is_floating_point:
                    continue
                for position, number in enumerate(node.args[:2]):
                    if isinstance(number, torch.fx.Node):
                        continue
                    name = f"number_{node.name}_{position}"
                    model.register_buffer(name, torch.tensor(number, dtype=torch.float64))
                    with model.graph.inserting_before(node):
                        node.update_arg(position, model.graph.get_attr(name))
            model.recompile()
            return quantizer.transform_for_annotation(model)

        def annotate(self, model):
            return quantizer.annotate(model)

        def validate(self, model):
            quantizer.validate(model)

    return WithTensors()
