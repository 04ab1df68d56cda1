# finds: nothing-replaced
# not: no-recompile
import torch


def replace_op(gm, old, new):
    code = gm.code.replace(str(old), str(new))
    ns = {}
    exec(
        code,
        {
            "torch": torch,
            "device": torch.device,
            "inf": float("inf"),
            "pytree": torch.utils._pytree,
            "fx_pytree": torch.fx._pytree,
        },
        ns,
    )
    gm.forward = ns["forward"].__get__(gm)
