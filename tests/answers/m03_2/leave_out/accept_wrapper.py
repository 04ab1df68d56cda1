# A quantizer around the given one: labels are taken away again, those of a fused relu too.
from torch import nn

from common.pt2e import ANNOTATION_KEY, Quantizer


class Without(Quantizer):
    def __init__(self, inner, module_type):
        super().__init__()
        self.inner = inner
        self.name = f"{module_type.__module__}.{module_type.__qualname__}"

    def transform_for_annotation(self, model):
        return self.inner.transform_for_annotation(model)

    def annotate(self, model):
        self.inner.annotate(model)
        for node in model.graph.nodes:
            stack = node.meta.get("nn_module_stack") or {}
            if node.op != "call_function" or self.name not in [str(t) for _, t in stack.values()]:
                continue
            label = node.meta.pop(ANNOTATION_KEY, None)
            if label is None:
                continue
            gone = node
            if label.output_qspec is None:  # a relu has the label of the output
                (gone,) = node.users
                gone.meta.pop(ANNOTATION_KEY)
            # what only hands this value on has nothing to share with any more
            todo = [gone]
            while todo:
                for user in todo.pop().users:
                    note = user.meta.get(ANNOTATION_KEY)
                    if note and "Shared" in type(note.output_qspec).__name__:
                        del user.meta[ANNOTATION_KEY]
                        todo.append(user)
        return model

    def validate(self, model):
        self.inner.validate(model)


def leave_out(quantizer, module_type):
    return Without(quantizer, module_type)
