# finds: node-names
# not: overloads-apart
import re
from collections import Counter


def op_counts(gm):
    return Counter(re.sub(r"_\d+$", "", n.name) for n in gm.graph.nodes if n.op == "call_function")
