# Shares with the output of the first producer, which gets a label where it has none.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


def SharedPool(base, spec, targets):
    class Around(Quantizer):
        def annotate(self, model):
            base.annotate(model)
            for node in model.graph.nodes:
                if node.op != "call_function" or node.target not in targets:
                    continue
                first = node.all_input_nodes[0]
                note = first.meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
                if note.output_qspec is None:
                    note.output_qspec = spec
                with_first = SharedQuantizationSpec(first)
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(
                    dict.fromkeys(node.all_input_nodes, with_first), with_first, _annotated=True
                )

        def validate(self, model):
            return None

    return Around()
