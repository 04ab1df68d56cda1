# Kinds from a table of schemes; pairs are lists.
import torch

from common.pt2e import ANNOTATION_KEY, QuantizationSpec

KIND = {
    torch.per_tensor_affine: "per_tensor",
    torch.per_tensor_symmetric: "per_tensor",
    torch.per_channel_affine: "per_channel",
    torch.per_channel_symmetric: "per_channel",
}


def annotation_table(gm, quantizer):
    quantizer.annotate(quantizer.transform_for_annotation(gm))
    table = {}
    for node in gm.graph.nodes:
        if ANNOTATION_KEY not in node.meta:
            continue
        label = node.meta[ANNOTATION_KEY]
        row = [{}, None]
        for producer, spec in [*label.input_qspec_map.items(), (None, label.output_qspec)]:
            word = spec and (KIND[spec.qscheme] if isinstance(spec, QuantizationSpec) else "shared")
            if producer is None:
                row[1] = word
            else:
                row[0][str(producer)] = word
        if row[1] or any(row[0].values()):
            table[str(node)] = row
    return table
