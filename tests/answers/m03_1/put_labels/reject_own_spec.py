# finds: own-spec
import torch

from common.pt2e import ANNOTATION_KEY, MinMaxObserver, QuantizationAnnotation, QuantizationSpec

SPEC = QuantizationSpec(
    dtype=torch.int8,
    quant_min=-128,
    quant_max=127,
    qscheme=torch.per_tensor_affine,
    observer_or_fake_quant_ctr=MinMaxObserver,
)


def put_labels(gm, name, spec):
    conv = next(n for n in gm.graph.nodes if n.name == name)
    (relu,) = conv.users
    conv.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map={conv.args[0]: SPEC})
    relu.meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=SPEC)
