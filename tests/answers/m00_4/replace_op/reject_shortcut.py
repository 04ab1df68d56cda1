# finds: shortcut
from torch.fx import replace_pattern


def replace_op(gm, old, new):
    replace_pattern(gm, lambda x: old(x), lambda x: new(x))
    gm.recompile()
