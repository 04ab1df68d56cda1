# Takes every weight for per channel.
# finds: scheme-guessed
from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec


def annotation_table(gm, quantizer):
    def kind(name, spec):
        if spec is None:
            return None
        if isinstance(spec, SharedQuantizationSpec):
            return "shared"
        return "per_channel" if "weight" in name else "per_tensor"

    quantizer.annotate(gm)
    t = {}
    for n in gm.graph.nodes:
        a = n.meta.get(ANNOTATION_KEY)
        if a and (a.output_qspec or any(a.input_qspec_map.values())):
            t[n.name] = ({p.name: kind(p.name, s) for p, s in a.input_qspec_map.items()}, kind("", a.output_qspec))
    return t
