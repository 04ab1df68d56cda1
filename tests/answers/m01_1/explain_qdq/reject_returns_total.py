# finds: form
from common.graph_utils import qdq_nodes


def explain_qdq(gm):
    return len(qdq_nodes(gm))
