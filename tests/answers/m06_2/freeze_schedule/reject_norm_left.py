# finds: norm-left-training
from common.pt2e import disable_observer, enable_observer


def freeze_schedule(prepared, epoch, scales_from, norm_from):
    prepared.apply(disable_observer if epoch >= scales_from else enable_observer)
