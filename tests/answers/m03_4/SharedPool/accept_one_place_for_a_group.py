# Finds the groups of connected values first; each group has one place with the settings.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        # union-find: one root edge per connected group
        group = {}
        for node in model.graph.nodes:
            if node.target in self.targets:
                values = [*node.all_input_nodes, node]
                roots = [group[v] for v in values if v in group]
                root = roots[0] if roots else (values[0], node)
                for v in values:
                    group[v] = root
                for k, r in list(group.items()):
                    if r in roots:
                        group[k] = root
        for node in model.graph.nodes:
            if node.target in self.targets:
                root = group[node]
                labels = {}
                for i in node.all_input_nodes:
                    labels[i] = self.spec if (i, node) == root else SharedQuantizationSpec(root)
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(labels, SharedQuantizationSpec(root))

    def validate(self, model):
        self.base.validate(model)
