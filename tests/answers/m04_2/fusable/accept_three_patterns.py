# Tries three patterns, the longest first.
import torch

aten = torch.ops.aten


def fusable(gm):
    conv, norm, relu = aten.conv2d.default, aten.batch_norm.default, (aten.relu.default, aten.relu_.default)
    found = []
    for start in gm.graph.nodes:
        for pattern in ((conv, norm, relu), (conv, norm), (conv, relu)):
            chain = [start]
            while len(chain) < len(pattern) and len(chain[-1].users) == 1:
                chain.append(list(chain[-1].users)[0])
            fits = [n.target == t if not isinstance(t, tuple) else n.target in t for n, t in zip(chain, pattern)]
            if len(chain) == len(pattern) and all(fits):
                found.append(tuple(str(n) for n in chain))
                break
    return set(found)
