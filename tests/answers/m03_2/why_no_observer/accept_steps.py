# Step by step, with the class of the spec.
from common.pt2e import ANNOTATION_KEY, QuantizationSpec


def why_no_observer(gm, a, b):
    for node in gm.graph.nodes:
        if node.name == a:
            producer = node
        if node.name == b:
            consumer = node
    specs = []
    if ANNOTATION_KEY in producer.meta:
        specs.append(producer.meta[ANNOTATION_KEY].output_qspec)
    has_entry = False
    if ANNOTATION_KEY in consumer.meta:
        for key, spec in consumer.meta[ANNOTATION_KEY].input_qspec_map.items():
            if key.name == a:
                has_entry = True
                specs.append(spec)
    for spec in specs:
        if type(spec) is QuantizationSpec:
            return "own"
        if spec is not None:
            return "shared"
    if has_entry:
        return "none"
    if ANNOTATION_KEY in producer.meta and ANNOTATION_KEY in consumer.meta:
        return "fused"
    return "no label"
