from common.graph_utils import observer_nodes


def observed_edges(prepared):
    observers = {node for node, _ in observer_nodes(prepared)}
    edges = set()
    for consumer in prepared.graph.nodes:
        if consumer in observers:
            continue
        for producer in consumer.all_input_nodes:
            if producer in observers:
                while producer in observers:
                    producer = producer.args[0]
                edges.add((producer.name, consumer.name))
    return edges
