# From the edges: numbered edges (reader, place, producer). _guards_fn is left out.
import torch.fx


def edges(gm):
    found = set()
    for node in gm.graph.nodes:
        place = []
        torch.fx.node.map_arg((node.args, node.kwargs), lambda n: place.append(n.name))
        found |= {(node.name, i, name) for i, name in enumerate(place)}
    return found


def graph_diff(before, after):
    a = {n.name for n in before.graph.nodes if n.name != "_guards_fn"}
    b = {n.name for n in after.graph.nodes if n.name != "_guards_fn"}
    moved = {reader for reader, _, _ in edges(before) ^ edges(after)}
    return {"added": frozenset(b - a), "removed": tuple(a - b), "rewired": moved & a & b, "kept": a & b}
