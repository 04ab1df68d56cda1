# finds: raised
# not: cycle
from common.pt2e import Quantizer


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)

        def walk(node):
            for each in node.all_input_nodes:
                walk(each)
            return walk(node)

        for node in model.graph.nodes:
            if node.op == "call_function" and node.target in self.targets:
                walk(node)
        return model

    def validate(self, model):
        self.base.validate(model)
