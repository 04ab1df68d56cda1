# Lets torchao rewrite the mode; in this net batch norm is the only op that has one.
from common.pt2e import (
    disable_observer,
    enable_fake_quant,
    enable_observer,
    move_exported_model_to_eval,
    move_exported_model_to_train,
)


def freeze_schedule(prepared, epoch, scales_from, norm_from):
    prepared.apply(enable_fake_quant)
    if epoch < scales_from:
        prepared.apply(enable_observer)
    else:
        prepared.apply(disable_observer)
    if epoch < norm_from:
        move_exported_model_to_train(prepared)
    else:
        move_exported_model_to_eval(prepared)
    return prepared
