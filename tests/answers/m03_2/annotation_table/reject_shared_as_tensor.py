# finds: shared-not-seen
from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec


def kind(spec):
    if spec is None:
        return None
    if isinstance(spec, SharedQuantizationSpec):
        return "per_tensor"
    return "per_channel" if "per_channel" in str(spec.qscheme) else "per_tensor"


def annotation_table(gm, quantizer):
    quantizer.annotate(gm)
    result = {}
    for node in gm.graph.nodes:
        label = node.meta.get(ANNOTATION_KEY)
        if label is not None:
            inputs = {producer.name: kind(spec) for producer, spec in label.input_qspec_map.items()}
            output = kind(label.output_qspec)
            if any([output, *inputs.values()]):
                result[node.name] = (inputs, output)
    return result
