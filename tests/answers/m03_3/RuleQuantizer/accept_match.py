# With match, and the targets as whole texts.

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class RuleQuantizer(Quantizer):
    def __init__(self, activation, weight):
        self.activation, self.weight = activation, weight

    def annotate(self, model):
        for node in model.graph.nodes:
            match str(node.target):
                case "aten.conv2d.default" | "aten.linear.default":
                    specs = [self.activation, self.weight]
                case "aten.add.Tensor" | "aten.add_.Tensor":
                    specs = [self.activation, self.activation]
                case _:
                    continue
            edges = {arg: spec for arg, spec in zip(node.args, specs) if hasattr(arg, "users")}
            match list(node.users):
                case [only] if str(only.target) in {"aten.relu.default", "aten.relu_.default"}:
                    node.meta[ANNOTATION_KEY] = QuantizationAnnotation(edges)
                    only.meta[ANNOTATION_KEY] = QuantizationAnnotation({}, self.activation)
                case _:
                    node.meta[ANNOTATION_KEY] = QuantizationAnnotation(edges, self.activation)

    def validate(self, model):
        pass
