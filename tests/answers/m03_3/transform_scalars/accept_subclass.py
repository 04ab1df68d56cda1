import torch


def transform_scalars(quantizer):
    """A subclass of the quantizer's own class, given to the same object."""

    class First(type(quantizer)):
        def transform_for_annotation(self, model):
            graph = model.graph
            for node in graph.nodes:
                packet = getattr(node.target, "overloadpacket", None)
                name = str(packet).removeprefix("aten.").rstrip("_")
                if name in ("add", "mul") and torch.is_floating_point(node.meta["val"]):
                    for a in node.args[:2]:
                        if type(a) in (int, float):
                            attribute = f"_tensor_constant_{len(model._buffers)}"
                            model.register_buffer(attribute, torch.zeros((), dtype=node.meta["val"].dtype) + a)
                            with graph.inserting_before(node):
                                new = graph.get_attr(attribute)
                            node.args = tuple(new if b is a else b for b in node.args)
            return super().transform_for_annotation(model)

    quantizer.__class__ = First
    return quantizer
