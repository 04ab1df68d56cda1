# No quantizer: the weight is rounded by hand, and quantize and dequantize of the value are put into the graph.
import copy
from operator import attrgetter

import torch

from common.graph_utils import node_outputs, sqnr


def sensitivity(gm, layers, bits, batches, x):
    found = {}
    for name in layers:
        mine = copy.deepcopy(gm)
        node = next(n for n in mine.graph.nodes if n.name == name)
        value, weight = node.all_input_nodes[:2]
        lows, highs = [], []
        for batch in batches:
            seen = batch[0] if value.op == "placeholder" else node_outputs(gm, *batch)[value.name]
            lows.append(seen.min().item())
            highs.append(seen.max().item())
        low, high = min(0.0, *lows), max(0.0, *highs)
        scale = max((torch.tensor(high) - torch.tensor(low)).item() / 255, 2**-12)
        zero = int(min(127, max(-128, -128 - round(low / scale))))
        largest = 2 ** (bits - 1) - 1
        with torch.no_grad():
            w = attrgetter(weight.target)(mine)
            rows = w.abs().amax(dim=tuple(range(1, w.dim())), keepdim=True)
            step = (rows / ((2 * largest) / 2)).clamp(min=2**-12)
            w.copy_((w / step).round().clamp(-largest, largest) * step)
        ops = torch.ops.quantized_decomposed
        with mine.graph.inserting_before(node):
            rest = (scale, zero, -128, 127, torch.int8)
            q = mine.graph.call_function(ops.quantize_per_tensor.default, (value, *rest))
            dq = mine.graph.call_function(ops.dequantize_per_tensor.default, (q, *rest))
        node.replace_input_with(value, dq)
        mine.recompile()
        with torch.no_grad():
            found[name] = sqnr(gm(x), mine(x))
    return found
