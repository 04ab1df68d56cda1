# All methods of a quantizer in turn, on a copy, and a match statement.
import copy

import torch

from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec


def annotation_table(gm, quantizer):
    gm = copy.deepcopy(gm)
    gm = quantizer.transform_for_annotation(gm)
    gm = quantizer.annotate(gm)
    quantizer.validate(gm)
    words = {
        torch.per_tensor_affine: "per_tensor",
        torch.per_tensor_symmetric: "per_tensor",
        torch.per_channel_affine: "per_channel",
        torch.per_channel_symmetric: "per_channel",
    }

    def kind(s):
        match s:
            case None:
                return None
            case SharedQuantizationSpec():
                return "shared"
            case _:
                return words[s.qscheme]

    out = {}
    for n in gm.graph.nodes:
        if ANNOTATION_KEY in n.meta:
            a = n.meta[ANNOTATION_KEY]
            specs = [a.output_qspec, *a.input_qspec_map.values()]
            if not all(s is None for s in specs):
                out[n.name] = [{k.name: kind(v) for k, v in a.input_qspec_map.items()}, kind(a.output_qspec)]
    return out
