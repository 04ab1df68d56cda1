# First the longest chain of only readers, then the longest pattern that is its beginning.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def annotate_fused(gm, patterns, spec):
    wanted, done = {tuple(p) for p in patterns}, set()
    for node in gm.graph.nodes:
        if node in done:
            continue
        chain = [node]
        while len(chain[-1].users) == 1:
            chain.append(list(chain[-1].users)[0])
        for length in range(len(chain), 0, -1):
            part = chain[:length]
            if tuple(n.target for n in part) in wanted and not done & set(part):
                done |= set(part)
                part[-1].meta[ANNOTATION_KEY] = QuantizationAnnotation({}, spec, True)
                break
