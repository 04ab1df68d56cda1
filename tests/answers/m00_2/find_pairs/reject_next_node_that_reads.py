# finds: next-node
# not: packet-or-overload, first-argument, inside-lists
def find_pairs(gm, first, second):
    def is_op(node, packet):
        return getattr(node.target, "overloadpacket", None) == packet

    return [
        (n.name, n.next.name)
        for n in gm.graph.nodes
        if is_op(n, first) and is_op(n.next, second) and list(n.users) == [n.next]
    ]
