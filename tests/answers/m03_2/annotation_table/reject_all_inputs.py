# Lists all inputs, labelled or not.
# finds: edges-without-entry
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
        if a and (a.output_qspec or any(a.input_qspec_map.values())):
            t[n.name] = ({p.name: kind(a.input_qspec_map.get(p)) for p in n.all_input_nodes}, kind(a.output_qspec))
    return t
