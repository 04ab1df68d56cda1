# A quantizer that labels everything, and then takes the labels of the worst layers away.
import copy

from common.pt2e import ANNOTATION_KEY, convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers


class ButNotThese(OnlyLayers):
    floats = ()

    def annotate(self, model):
        super().annotate(model)
        for node in model.graph.nodes:
            if node.name in self.floats:
                del node.meta[ANNOTATION_KEY]
        return model


def mixed(gm, db, bits, k, batches):
    import heapq

    quantizer = ButNotThese(list(db), bits)
    quantizer.floats = heapq.nsmallest(k, db, key=lambda name: db[name])
    prepared = prepare_pt2e(copy.deepcopy(gm), quantizer)
    for batch in batches:
        prepared(*batch)
    return convert_pt2e(prepared)
