from common.backends.comparison import output_step


def same_graph_two_backends(qdq, x, outputs):
    step, integers = output_step(qdq), {}
    for name, output in (*outputs.items(), ("Q/DQ", qdq(x).detach())):
        if output is None:
            continue
        integers[name] = (output / step).round().int()
    names, found = sorted(integers), {}
    while names:
        a = names.pop()
        for b in names:
            found[b, a] = (integers[a] - integers[b]).abs().max().item()
    return found
