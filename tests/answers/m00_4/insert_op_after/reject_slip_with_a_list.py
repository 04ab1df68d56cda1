# finds: raised
# Not because a node was looked for among the arguments.
# not: inside-lists


def insert_op_after(gm, node, target, args):
    names = ["a", "b"]
    names.remove("c")
