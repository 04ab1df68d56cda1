# A tensor of one element; torch's log10 of 0 is minus infinity.
import torch


def add_up(dbs):
    return -10 * torch.tensor([10.0 ** (-db / 10) for db in dbs], dtype=torch.float64).sum().log10()
