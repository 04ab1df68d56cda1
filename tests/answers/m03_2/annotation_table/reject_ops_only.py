# All annotated ops, and nothing else.
# finds: ops-only
from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec


def annotation_table(gm, quantizer):
    def kind(spec):
        if spec is None:
            return None
        if isinstance(spec, SharedQuantizationSpec):
            return "shared"
        return "per_channel" if "per_channel" in str(spec.qscheme) else "per_tensor"

    quantizer.annotate(gm)
    t = {}
    for n in gm.graph.nodes:
        a = n.meta.get(ANNOTATION_KEY)
        if a and n.op == "call_function":
            t[n.name] = ({p.name: kind(s) for p, s in a.input_qspec_map.items()}, kind(a.output_qspec))
    return t
