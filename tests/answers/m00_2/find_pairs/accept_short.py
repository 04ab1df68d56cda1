from common.graph_utils import short


def find_pairs(gm, first, second):
    found = []
    for node in gm.graph.nodes:
        readers = list(node.users)
        if node.op == "call_function" and short(node.target) == str(first).split(".")[1] and len(readers) == 1:
            if readers[0].op == "call_function" and short(readers[0].target) == str(second).split(".")[1]:
                found.append((node.name, readers[0].name))
    return found
