# finds: raised
# not: key-is-a-name, not-an-annotation
# A slip of the pen after a first label of the wrong form: the exception is not that of prepare_pt2e.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def put_labels(gm, name, spec):
    conv = next(n for n in gm.graph.nodes if n.name == name)
    conv.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map={conv.args[0].name: spec})
    conv.user[0].meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=spec)
