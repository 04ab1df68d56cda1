"""QAT of a net with batch norm behind a conv: a result that is stored, as converting such a graph takes half a minute.

Make it again with ``python -m common.qat_bn``.
"""

import copy
import json
from pathlib import Path
from typing import Any

STORED = Path(__file__).parent / "weights" / "qat_bn.json"


def compute() -> dict[str, Any]:
    """Prepare, train for ten steps, freeze and convert conv → batch norm → relu; return counts of ops and a difference."""
    import torch
    from torch import nn, optim

    from common.graph_utils import op_counts
    from common.pt2e import (
        convert_pt2e,
        disable_observer,
        export_module,
        move_exported_model_to_eval,
        move_exported_model_to_train,
        prepare_qat_pt2e,
    )
    from common.qat import qat_quantizer

    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
    x = torch.randn(16, 1, 6, 6)
    exported = export_module(copy.deepcopy(model).eval(), (x[:4],))
    found: dict[str, Any] = {"exported": dict(op_counts(exported))}
    prepared = prepare_qat_pt2e(exported, qat_quantizer(8))
    found["prepared"] = dict(op_counts(prepared))
    move_exported_model_to_train(prepared)
    optimizer = optim.SGD(prepared.parameters(), lr=0.05)
    for _step in range(10):
        optimizer.zero_grad()
        (prepared(x) - x[:, :, 1:5, 1:5]).square().mean().backward()
        optimizer.step()
    prepared.apply(disable_observer)
    move_exported_model_to_eval(prepared)
    converted = convert_pt2e(copy.deepcopy(prepared))
    found["converted"] = dict(op_counts(converted))
    fake_quants: list[Any] = [m for m in prepared.modules() if hasattr(m, "fake_quant_enabled")]
    step = float(fake_quants[-1].scale)
    with torch.no_grad():
        found["largest difference in steps of the output"] = round(
            float((prepared(x) - converted(x)).abs().max()) / step, 3
        )
    return found


def stored() -> dict[str, Any]:
    """Return the stored result of `compute`."""
    return json.loads(STORED.read_text(encoding="utf-8"))


def main() -> None:
    """Compute the result and store it."""
    from common.env import quiet

    quiet()
    STORED.write_text(json.dumps(compute(), indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
