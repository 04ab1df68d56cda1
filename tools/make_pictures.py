#!/usr/bin/env python
"""Draw the picture of README anew: `python tools/make_pictures.py` (needs graphviz's `dot`)."""

import copy
from pathlib import Path

from common.env import quiet

quiet()

from common.data import random_batches  # noqa: E402  (the libraries are quiet only when quiet() comes first)
from common.models import example_inputs, get_model  # noqa: E402
from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e  # noqa: E402
from common.viz import draw_stages  # noqa: E402

OUT = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "stages.svg"


def main() -> None:
    """Draw conv → relu with calibrated observers and converted, on white so that it reads in dark themes too."""
    exported = export_module(get_model("conv_relu").eval(), example_inputs())
    prepared = prepare_pt2e(copy.deepcopy(exported), get_xnnpack_quantizer()[0])
    for batch in random_batches(16):
        prepared(*batch)
    converted = convert_pt2e(copy.deepcopy(prepared))
    stages = [(prepared, "prepare_pt2e, calibrated"), (converted, "convert_pt2e")]
    svg = draw_stages(stages, show=False).svg
    if svg is None:
        raise SystemExit("this needs graphviz's program dot")
    OUT.write_text(svg.replace("<svg ", '<svg style="background:#fff" ', 1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
