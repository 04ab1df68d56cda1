# Two specs are alike when they are alike in what prepare_pt2e builds from, the constructor apart.
import dataclasses

from common.pt2e import SharedQuantizationSpec


def fields(spec):
    return {f.name: getattr(spec, f.name) for f in dataclasses.fields(spec) if f.name != "observer_or_fake_quant_ctr"}


def predict_sharing(cases):
    result = []
    for (a, spec_a), (b, spec_b) in cases:
        edges = [p for p in (a, b) if isinstance(p, tuple)]
        producers = {p[0] if p in edges else p for p in (a, b)}
        shared = SharedQuantizationSpec in (type(spec_a), type(spec_b))
        match len(producers), shared or fields(spec_a) == fields(spec_b):
            case 1, True:
                result.append("one")
            case 1, False:
                result.append("parallel" if len(edges) == 2 else "chained")
            case _:
                result.append("shared" if shared else "apart")
    return result
