# Everything is quantized; then each of the worst layers gets its float weight and its float input back.
import copy

from common.graph_utils import short
from common.pt2e import convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers


def mixed(gm, db, bits, k, batches):
    prepared = prepare_pt2e(copy.deepcopy(gm), OnlyLayers(list(db), bits))
    for batch in batches:
        prepared(*batch)
    converted = convert_pt2e(prepared, fold_quantize=False)
    for name in sorted(db, key=db.get)[:k]:
        node = next(n for n in converted.graph.nodes if n.name == name)
        for dq in node.all_input_nodes[:2]:
            if short(dq.target).startswith("dequantize"):
                node.replace_input_with(dq, dq.args[0].args[0])
    converted.graph.eliminate_dead_code()
    converted.recompile()
    return converted
