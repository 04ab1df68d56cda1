import torch

from common.pt2e import lower_pt2e_quantized_to_x86


def classify_lowering(gm, x):
    lowered = lower_pt2e_quantized_to_x86(gm, (x,))
    targets = [str(n.target) for n in lowered.graph.nodes if n.op == "call_function"]
    error = None
    try:
        with torch.no_grad():
            lowered(x)
    except RuntimeError as caught:
        error = caught
    if any(t.startswith("onednn.q") for t in targets):
        return "int8 and runs" if error is None else "int8 but fails"
    return "decomposed only" if any(t.startswith("quantized_decomposed") for t in targets) else "fp32"
