# Compares the kinds of spec too: two kinds never agree in all eight settings.
from common.pt2e import SharedQuantizationSpec


def predict_sharing(cases):
    F = ("dtype", "quant_min", "quant_max", "qscheme", "ch_axis", "is_dynamic", "scale", "zero_point")
    r = []
    for (pa, sa), (pb, sb) in cases:
        ta, tb = (p[0] if isinstance(p, tuple) else p for p in (pa, pb))
        sh = isinstance(sa, SharedQuantizationSpec) or isinstance(sb, SharedQuantizationSpec)
        if ta is tb:
            r.append("one" if sh or (type(sa) is type(sb) and all(getattr(sa, k, None) == getattr(sb, k, None) for k in F)) else "parallel" if isinstance(pa, tuple) and isinstance(pb, tuple) else "chained")
        else:
            r.append("shared" if sh else "apart")
    return r
