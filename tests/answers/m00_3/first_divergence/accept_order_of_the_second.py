# Walks over the second graph, and computes the decibels by itself.
import torch

from common.graph_utils import node_outputs


def first_divergence(gm_a, gm_b, x, dB):
    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    limit = 10 ** (dB / 10)
    bad = [n for n in b if n in a and (a[n] ** 2).sum() < limit * ((a[n] - b[n]) ** 2).sum()]
    return bad[0] if bad else None
