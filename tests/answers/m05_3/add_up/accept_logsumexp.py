import math

import torch


def add_up(dbs):
    base = math.log(10) / 10
    return (-torch.logsumexp(-base * torch.tensor(dbs, dtype=torch.float64), 0) / base).item()
