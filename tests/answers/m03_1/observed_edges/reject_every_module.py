# finds: every-module
def observed_edges(prepared):
    edges = set()
    for consumer in prepared.graph.nodes:
        if consumer.op == "call_module":
            continue
        for read in consumer.all_input_nodes:
            producer = read
            while producer.op == "call_module":
                producer = producer.args[0]
            if producer is not read:
                edges.add((producer.name, consumer.name))
    return edges
