# Settings as a tuple, places as (producer, consumer or None), a table of words at the end.
from torch import fx

from common.pt2e import FixedQParamsQuantizationSpec, SharedQuantizationSpec


def settings(spec):
    fixed = isinstance(spec, FixedQParamsQuantizationSpec)
    own = (spec.scale, spec.zero_point) if fixed else (None, spec.ch_axis)
    return (fixed, spec.dtype, spec.quant_min, spec.quant_max, spec.qscheme, spec.is_dynamic, *own)


def predict_sharing(cases):
    def word(first, second):
        (place_a, spec_a), (place_b, spec_b) = first, second
        a, b = ((p, None) if isinstance(p, fx.Node) else p for p in (place_a, place_b))
        if isinstance(spec_a, SharedQuantizationSpec):
            joined = spec_a.edge_or_node == place_b
        elif isinstance(spec_b, SharedQuantizationSpec):
            joined = spec_b.edge_or_node == place_a
        else:
            joined = a[0] == b[0] and settings(spec_a) == settings(spec_b)
        table = {
            (True, True): "one",
            (True, False): "shared",
            (False, True): "chained" if None in (a[1], b[1]) else "parallel",
            (False, False): "apart",
        }
        return table[joined, a[0] == b[0]]

    return tuple(word(*case) for case in cases)
