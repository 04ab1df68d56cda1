# finds: delegates-as-ops
# not: one-delegate
# needs: executorch
def delegated_fraction(program):
    calls = [n for n in program.graph.nodes if n.op == "call_function" and "getitem" not in n.name]
    return sum("delegate" in n.name for n in calls) / len(calls)
