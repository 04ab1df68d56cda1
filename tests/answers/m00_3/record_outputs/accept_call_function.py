# Overrides another method, which is not told the node: its name is kept by run_node.
import torch
from torch.fx import Interpreter


class Recorder(Interpreter):
    def __init__(self, module):
        super().__init__(module)
        self.found = {}

    def run_node(self, n):
        self.now = n.name
        return super().run_node(n)

    def call_function(self, target, args, kwargs):
        value = super().call_function(target, args, kwargs)
        if torch.is_tensor(value):
            self.found[self.now] = value.clone()
        return value


def record_outputs(gm, x):
    recorder = Recorder(gm)
    with torch.no_grad():
        recorder.run(x)
    return recorder.found
