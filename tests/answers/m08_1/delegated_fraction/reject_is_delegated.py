# finds: all-or-nothing
# needs: executorch
def delegated_fraction(program):
    return float(any("call_delegate" in n.name for n in program.graph.nodes))
