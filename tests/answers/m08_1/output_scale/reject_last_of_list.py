# finds: last-in-list
from common.graph_utils import qdq_nodes


def output_scale(qdq):
    return [n for n in qdq_nodes(qdq) if "per_tensor" in str(n.target)][-1].args[1]
