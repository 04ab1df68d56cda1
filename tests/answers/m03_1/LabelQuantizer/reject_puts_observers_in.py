# finds: graph-changed
from common.graph_utils import splice
from common.pt2e import MinMaxObserver, Quantizer


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels, self.spec = labels, spec

    def annotate(self, model):
        for i, (_kind, name, *_) in enumerate(self.labels):
            node = next(n for n in model.graph.nodes if n.name == name)
            splice(model, node, MinMaxObserver(), f"own_{i}")
        model.recompile()

    def validate(self, model):
        pass
