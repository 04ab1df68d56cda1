# finds: own-spec
import torch

from common.pt2e import (
    ANNOTATION_KEY,
    MinMaxObserver,
    QuantizationAnnotation,
    QuantizationSpec,
    Quantizer,
    SharedQuantizationSpec,
)

SPEC = QuantizationSpec(
    dtype=torch.int8,
    quant_min=-127,
    quant_max=127,
    qscheme=torch.per_tensor_symmetric,
    observer_or_fake_quant_ctr=MinMaxObserver,
)


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            if node.op == "call_function" and node.target in self.targets:
                first, *others = node.all_input_nodes
                shared = SharedQuantizationSpec((first, node))
                labels = {first: SPEC, **dict.fromkeys(others, shared)}
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(labels, shared)
        return model

    def validate(self, model):
        self.base.validate(model)
