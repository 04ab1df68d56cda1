# finds: fixed-names
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def put_labels(gm, name, spec):
    nodes = {n.name: n for n in gm.graph.nodes}
    nodes["conv2d"].meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map={nodes["x"]: spec})
    nodes["relu"].meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=spec)
