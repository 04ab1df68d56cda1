# None says "not this one": the weight's edge and the conv's output are named and left out.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def put_labels(gm, name, spec):
    conv = next(n for n in gm.graph.nodes if n.name == name)
    conv.meta["quantization_annotation"] = QuantizationAnnotation(
        input_qspec_map={conv.args[0]: spec, conv.args[1]: None}, output_qspec=None
    )
    for user in conv.users:
        user.meta["quantization_annotation"] = QuantizationAnnotation(input_qspec_map={conv: None}, output_qspec=spec)
