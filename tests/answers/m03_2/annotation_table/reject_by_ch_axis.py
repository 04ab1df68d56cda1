# Per channel is what has an axis.
# finds: scheme-guessed
from common.pt2e import ANNOTATION_KEY


def annotation_table(gm, quantizer):
    quantizer.annotate(gm)

    def kind(s):
        q = getattr(s, "qscheme", None)
        if s is None:
            return None
        if q is None:
            return "shared"
        return {True: "per_channel", False: "per_tensor"}[s.ch_axis is not None]

    res = {}
    for n in gm.graph.nodes:
        a = n.meta.get(ANNOTATION_KEY)
        if a and (a.output_qspec or any(a.input_qspec_map.values())):
            res[str(n)] = ({str(k): kind(v) for k, v in a.input_qspec_map.items()}, kind(a.output_qspec))
    return res
