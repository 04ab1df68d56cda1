# finds: inside-lists
import torch.fx

from common.graph_utils import observer_nodes


def observed_edges(prepared):
    observers = {node for node, _ in observer_nodes(prepared)}
    edges = set()
    for consumer in prepared.graph.nodes:
        if consumer in observers:
            continue
        for read in consumer.args:
            if not isinstance(read, torch.fx.Node) and consumer.op == "output":
                read = read[0]
            if isinstance(read, torch.fx.Node) and read in observers:
                producer = read
                while producer in observers:
                    producer = producer.args[0]
                edges.add((producer.name, consumer.name))
    return edges
