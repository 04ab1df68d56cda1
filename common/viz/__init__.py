"""Pictures of graphs and tables, for a notebook and without one. Importing this does not load torch.

    from common.viz import draw, draw_stages, table

From a graph to its picture: GraphModule or facts → `Picture` (picture.py, from_graph.py) → `View`, what of it is
drawn (view.py) → SVG (dot.py), Mermaid where `dot` is missing (mermaid.py), and words (text.py).
"""

from common.viz.api import draw, draw_stages
from common.viz.drawing import Drawing
from common.viz.from_graph import picture_of
from common.viz.picture import Picture, PictureNode, picture_from_facts
from common.viz.tables import Table, table

__all__ = [
    "Drawing",
    "Picture",
    "PictureNode",
    "Table",
    "draw",
    "draw_stages",
    "picture_from_facts",
    "picture_of",
    "table",
]
