# Walks through the arguments, lists and single nodes.
import torch

from common.pt2e import QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            if node.op != "call_function" or node.target not in self.targets:
                continue
            inputs = []
            for arg in node.args:
                for one in (arg if isinstance(arg, (list, tuple)) else [arg]):
                    if isinstance(one, torch.fx.Node) and one not in inputs:
                        inputs.append(one)
            m = {inputs[0]: self.spec}
            m.update({i: SharedQuantizationSpec((inputs[0], node)) for i in inputs[1:]})
            node.meta["quantization_annotation"] = QuantizationAnnotation(m, SharedQuantizationSpec((inputs[0], node)))

    def validate(self, model):
        self.base.validate(model)
