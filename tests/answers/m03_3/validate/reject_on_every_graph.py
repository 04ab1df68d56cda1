# finds: asks-nothing
def validate(model):
    raise ValueError("the chip cannot do this: " + ", ".join(n.name for n in model.graph.nodes))
