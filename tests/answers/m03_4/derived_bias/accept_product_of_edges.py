import torch

import common.pt2e as pt2e


def derived_bias(node):
    labels = node.meta[pt2e.ANNOTATION_KEY].input_qspec_map
    edges = [(producer, node) for producer, spec in labels.items() if spec is not None]
    per_channel = any("per_channel" in str(spec.qscheme) for spec in labels.values())

    def scale(observers):
        result = torch.ones(1)
        for observer in observers:
            result = result * observer.calculate_qparams()[0]
        return result

    return pt2e.DerivedQuantizationSpec(
        derived_from=edges,
        derive_qparams_fn=lambda observers: (scale(observers), torch.zeros(scale(observers).shape).int()),
        dtype=torch.int32,
        quant_min=-(2**31) + 1,
        quant_max=2**31 - 1,
        qscheme=torch.per_channel_symmetric if per_channel else torch.per_tensor_symmetric,
        ch_axis=0,
    )
