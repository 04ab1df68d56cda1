# finds: weights-left-out
from common.graph_utils import observer_nodes


def observed_edges(prepared):
    observers = {node for node, _ in observer_nodes(prepared)}
    edges = set()
    for consumer in prepared.graph.nodes:
        for read in consumer.all_input_nodes if consumer not in observers else ():
            producer = read
            while producer in observers:
                producer = producer.args[0]
            if producer is not read and producer.op != "get_attr":
                edges.add((producer.name, consumer.name))
    return edges
