import torch

import common.pt2e  # the ops are registered when torchao is imported

QD = torch.ops.quantized_decomposed


def explain_qdq(gm):
    found = {
        op: gm.graph.find_nodes(op="call_function", target=op)
        for op in (
            QD.quantize_per_tensor.default,
            QD.quantize_per_channel.default,
            QD.dequantize_per_tensor.default,
            QD.dequantize_per_channel.default,
        )
    }
    q_t, q_c, dq_t, dq_c = (len(v) for v in found.values())
    dq = [n for op, nodes in found.items() if "dequantize" in str(op) for n in nodes]
    stored = sum(n.all_input_nodes[0].op == "get_attr" for n in dq)
    return {
        "q": q_t + q_c,
        "dq_per_tensor": dq_t,
        "dq_per_channel": dq_c,
        "stored": stored,
        "repeated": len(dq) - stored - q_t - q_c,
    }
