def activation_path(gm, node):
    def closure(start, step):
        seen, todo = set(start), list(start)
        while todo:
            for m in step(todo.pop()):
                if m not in seen:
                    seen.add(m)
                    todo.append(m)
        return seen

    up = closure([node], lambda n: n.all_input_nodes)
    down = closure([n for n in gm.graph.nodes if n.op == "placeholder"], lambda n: n.users)
    return [n.name for n in gm.graph.nodes if n in up & down and n.op == "call_function"]
