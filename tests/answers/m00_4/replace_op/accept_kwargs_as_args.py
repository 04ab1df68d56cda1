# All arguments with names, as the schema of the new op has them: spelled in another way, the same call.
def replace_op(gm, old, new):
    for node in list(gm.graph.nodes):
        if node.target == old:
            names = [a.name for a in old._schema.arguments]
            given = dict(zip(names, node.args)) | dict(node.kwargs)
            wanted = [a.name for a in new._schema.arguments]
            with gm.graph.inserting_before(node):
                args = tuple(node.args[:1])
                kwargs = {w: given[n] for n, w in zip(names[1:], wanted[1:]) if n in given}
                fresh = gm.graph.call_function(new, args, kwargs)
            node.replace_all_uses_with(fresh)
            gm.graph.erase_node(node)
    gm.recompile()
