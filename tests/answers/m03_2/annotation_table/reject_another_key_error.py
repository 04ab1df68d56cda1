# A KeyError that is not about annotations.
# finds: raised
# not: unlabelled-nodes
from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec


def annotation_table(gm, quantizer):
    def kind(spec):
        if spec is None:
            return None
        if isinstance(spec, SharedQuantizationSpec):
            return "shared"
        return "per_channel" if "per_channel" in str(spec.qscheme) else "per_tensor"

    quantizer.annotate(gm)
    table = {}
    for node in gm.graph.nodes:
        label = node.meta.get(ANNOTATION_KEY)
        if label is None:
            continue
        inputs = {p.name: kind(s) for p, s in label.input_qspec_map.items()}
        table["x"]
        output = kind(label.output_qspec)
        if output is not None or any(v is not None for v in inputs.values()):
            table[node.name] = (inputs, output)
    return table
