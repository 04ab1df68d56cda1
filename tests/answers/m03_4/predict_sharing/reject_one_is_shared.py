# finds: one-or-shared
from common.pt2e import SharedQuantizationSpec

NAMES = ("dtype", "quant_min", "quant_max", "qscheme", "ch_axis", "is_dynamic", "scale", "zero_point")


def tensor(place):
    return place[0] if isinstance(place, tuple) else place


def predict_sharing(cases):
    words = []
    for (a, spec_a), (b, spec_b) in cases:
        same_tensor = tensor(a) is tensor(b)
        shares = isinstance(spec_a, SharedQuantizationSpec) or isinstance(spec_b, SharedQuantizationSpec)
        agree = all(getattr(spec_a, n, None) == getattr(spec_b, n, None) for n in NAMES)
        if shares or (same_tensor and agree):
            words.append("shared")
        elif not same_tensor:
            words.append("apart")
        else:
            words.append("parallel" if isinstance(a, tuple) and isinstance(b, tuple) else "chained")
    return words
