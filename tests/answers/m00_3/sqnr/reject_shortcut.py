# finds: shortcut
from common.graph_utils import sqnr as sqnr_db


def sqnr(ref, out):
    return sqnr_db(ref, out)
