import torch


def scale_by(acc, m, shift):
    size = (acc.long().abs() * m + (1 << (shift - 1))) >> shift
    return (size * acc.sign()).int()
