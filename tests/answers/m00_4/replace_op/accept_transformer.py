# A Transformer walks over the graph like an Interpreter, and builds a new graph on the way; the new graph is put in.
from torch import fx


def replace_op(gm, old, new):
    class Other(fx.Transformer):
        def call_function(self, target, args, kwargs):
            return super().call_function(new if target == old else target, args, kwargs)

        def call_module(self, target, args, kwargs):
            return self.tracer.create_proxy("call_module", target, args, kwargs)

    changed = Other(gm).transform()
    codegen = gm.graph._codegen
    gm.graph = changed.graph
    gm.graph.set_codegen(codegen)
    gm.recompile()
