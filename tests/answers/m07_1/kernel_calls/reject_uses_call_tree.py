# finds: shortcut
from collections import Counter

from common.profiling import call_tree, profiled


def kernel_calls(fn, x):
    tree = call_tree(profiled(fn, x))
    return Counter(n.label for n in tree.nodes if n.name.startswith("kernel"))
