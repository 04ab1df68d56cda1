import torch

import common.pt2e as pt2e


def fixed_sigmoid(gm, spec):
    sigmoids = gm.graph.find_nodes(op="call_function", target=torch.ops.aten.sigmoid.default)
    for sigmoid in sigmoids:
        note = sigmoid.meta.setdefault(pt2e.ANNOTATION_KEY, pt2e.QuantizationAnnotation())
        (source,) = sigmoid.all_input_nodes
        note.input_qspec_map[source] = spec
        note.output_qspec = pt2e.FixedQParamsQuantizationSpec(
            dtype=torch.uint8,
            scale=2**-8,
            zero_point=0,
            quant_min=torch.iinfo(torch.uint8).min,
            quant_max=torch.iinfo(torch.uint8).max,
            qscheme=torch.per_tensor_affine,
        )
    return gm
