# finds: graph-changed
from common.graph_utils import short, splice
from common.pt2e import MinMaxObserver, Quantizer


class RuleQuantizer(Quantizer):
    def __init__(self, activation, weight):
        self.activation, self.weight = activation, weight

    def annotate(self, model):
        for i, node in enumerate(list(model.graph.nodes)):
            if short(node.target) in ("conv2d", "linear", "add"):
                splice(model, node, MinMaxObserver(), f"own_{i}")
        model.recompile()

    def validate(self, model):
        pass
