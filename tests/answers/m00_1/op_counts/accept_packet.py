from collections import Counter


def op_counts(gm):
    counts = Counter()
    for node in gm.graph.nodes:
        if node.op == "call_function":
            packet = getattr(node.target, "overloadpacket", None)
            counts[node.target.__name__ if packet is None else str(packet).split(".")[-1]] += 1
    return counts
