# A set has no order, and the order does not matter. From the second op upwards, through all that it reads.
def find_pairs(gm, first, second):
    def is_op(node, packet):
        return node.op == "call_function" and node.target in [getattr(packet, o) for o in packet.overloads()]

    return {
        (node.name, reader.name)
        for reader in gm.graph.nodes
        if is_op(reader, second)
        for node in reader.all_input_nodes
        if is_op(node, first) and list(node.users) == [reader]
    }
