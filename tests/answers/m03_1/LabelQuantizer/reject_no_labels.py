# Writes no labels.
# finds: no-label
# not: on-a-copy

from common.pt2e import Quantizer


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels = labels
        self.spec = spec

    def validate(self, model):
        pass

    def annotate(self, model):
        return model
