#!/usr/bin/env python
"""Draw the pictures of README and docs anew: `python tools/make_pictures.py` (needs graphviz's `dot`)."""

import copy
from pathlib import Path

from common.env import quiet

quiet()

import graphviz  # noqa: E402

from common.data import random_batches  # noqa: E402  (the libraries are quiet only when quiet() comes first)
from common.models import example_inputs, get_model  # noqa: E402
from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e  # noqa: E402
from common.viz import draw_stages  # noqa: E402

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"

ARCHITECTURE = """digraph {
  graph [rankdir=LR, bgcolor=white, fontname="Helvetica", fontsize=11, nodesep=0.25, ranksep=0.35]
  node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica", fontsize=11, margin="0.12,0.06"]
  edge [fontname="Helvetica", fontsize=9, arrowsize=0.7]
  source [label="source/", shape=folder]; release [label="release/", shape=folder]
  submitted [label="submitted/", shape=folder]; feedback [label="feedback/", shape=folder]
  student [label="student's JupyterLab\ncommon.check"]
  source -> release [label="release"]; release -> student; student -> submitted [label="collect from an LMS"]
  subgraph cluster_grade { label="grade_submission: reads, writes nothing"; style="rounded,dashed"
    collect; rebuild; execute; judge
    collect -> rebuild -> execute
    execute -> judge [label="evidence"]
  }
  subgraph cluster_sandbox { label="sandbox (pt2e_kit/inside)"; style="rounded,filled"; fillcolor="#eeeeee"
    zygote [label="warm process"]; run [label="student's process"]; zygote -> run [label="fork"]
  }
  submitted -> collect; source -> rebuild [style=dashed, label="tests, points"]
  execute -> zygote; run -> execute [label="outputs, evidence", style=dashed]
  checks [label="common/checks\nreferences"]; checks -> judge [style=dashed]
  record [label="record\none writer"]; judge -> record [label="findings"]
  record -> gradebook; gradebook [label="gradebook.db\nautograded/ results/", shape=cylinder]
  gradebook -> feedback; gradebook -> report [label="report, export"]; report [label="instructor"]
}"""


def main() -> None:
    """Draw all of them."""
    draw_architecture()
    draw_lesson()


def draw_architecture() -> None:
    """Draw how a submission goes through the kit."""
    svg = graphviz.Source(ARCHITECTURE).pipe(format="svg", encoding="utf-8")
    (PICTURES / "architecture.svg").write_text(svg[svg.index("<svg") :], encoding="utf-8")


def draw_lesson() -> None:
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
    (PICTURES / "stages.svg").write_text(
        svg.replace("<svg ", '<svg style="background:#fff" ', 1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
