# finds: raised
# not: method-missing
# Another class is abstract: a plain slip.
from abc import ABC, abstractmethod

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class Names(ABC):
    @abstractmethod
    def find(self, name): ...


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels, self.spec, self.names = labels, spec, Names()

    def annotate(self, model):
        return model

    def validate(self, model):
        pass
