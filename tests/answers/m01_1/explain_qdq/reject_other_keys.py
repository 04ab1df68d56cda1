# finds: form
from common.graph_utils import qdq_nodes


def explain_qdq(gm):
    return {"q": len(qdq_nodes(gm)), "dq": 0}
