# finds: shares-with-weight
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            if node.op == "call_function" and node.target in self.targets:
                first, *others = node.all_input_nodes
                shared = SharedQuantizationSpec((first, node))
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(
                    {first: self.spec, **dict.fromkeys(others, shared)}, shared
                )
                for user in node.users:
                    note = user.meta.get(ANNOTATION_KEY)
                    if note and len(note.input_qspec_map) > 1 and user.target not in self.targets:
                        for producer in note.input_qspec_map:
                            note.input_qspec_map[producer] = SharedQuantizationSpec(node)
        return model

    def validate(self, model):
        self.base.validate(model)
