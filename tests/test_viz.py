"""Pictures of graphs: what is on them, that broken and hostile graphs draw, and that nothing is lost without dot."""

import copy
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from common.env import quiet

quiet()

import torch  # noqa: E402
from IPython.core.interactiveshell import InteractiveShell  # noqa: E402
from torch import fx  # noqa: E402

from common.models import example_inputs, get_model  # noqa: E402
from common.pt2e import (  # noqa: E402
    FakeQuantize,
    HistogramObserver,
    MinMaxObserver,
    convert_pt2e,
    disable_observer,
    export_module,
    get_xnnpack_quantizer,
    prepare_pt2e,
    prepare_qat_pt2e,
)
from common.viz import Picture, PictureNode, draw, draw_stages, picture_from_facts, picture_of, table  # noqa: E402
from common.viz.labels import clip  # noqa: E402
from common.viz.picture import short_target  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def make(model: str, *, qat: bool = False) -> tuple[fx.GraphModule, fx.GraphModule]:
    gm = export_module(get_model(model).eval(), example_inputs())
    quantizer, _source = get_xnnpack_quantizer(is_qat=qat)
    prepare = prepare_qat_pt2e if qat else prepare_pt2e
    return gm, prepare(copy.deepcopy(gm), quantizer)


@pytest.fixture(scope="module")
def stages() -> dict[str, fx.GraphModule]:
    """conv_relu: exported, prepared, calibrated, converted."""
    gm, prepared = make("conv_relu")
    calibrated = copy.deepcopy(prepared)
    calibrated(*example_inputs())
    return {"gm": gm, "prepared": prepared, "calibrated": calibrated, "q": convert_pt2e(copy.deepcopy(calibrated))}


@pytest.fixture(scope="module")
def residual() -> tuple[fx.GraphModule, fx.GraphModule]:
    return make("residual")


@pytest.fixture
def no_dot(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def texts(svg: str | None) -> list[str]:
    assert svg is not None
    return [t.text or "" for t in ET.fromstring(svg).iter(f"{SVG}text")]


def lines(text: str, start: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(start)]


# -- what is on a picture


def test_weights_stand_on_their_op_and_guards_are_left_out(stages):
    d = draw(stages["gm"], title="exported")
    assert d.text.splitlines() == [
        "exported",
        "x: input",
        "conv2d ← x, ‹conv_weight›, ‹conv_bias›",
        "relu ← conv2d",
        "output ← relu",
    ]
    assert texts(d.svg) == ["x", "conv2d", "‹conv_weight›", "‹conv_bias›", "relu", "output"]


def test_an_observer_without_data_says_so_instead_of_a_scale(stages):
    d = draw(stages["prepared"])
    assert "scale" not in d.text
    assert texts(d.svg).count("no data yet") == 3
    [line] = lines(d.text, "activation_post_process_1:")
    assert line == "activation_post_process_1: PerChannelMinMaxObserver, no data yet ← ‹conv_weight›"


def test_an_observer_with_data_shows_its_qparams_and_is_not_changed(stages):
    gm = stages["calibrated"]
    before = {k: v.clone() for k, v in gm.state_dict().items()}
    text = draw(gm).text
    scale, zero_point = gm.activation_post_process_0.calculate_qparams()
    assert f"HistogramObserver, scale {scale.item():.4g}, zero point {zero_point.item()} ← x" in text
    assert "PerChannelMinMaxObserver, 8 scales, axis 0 ← ‹conv_weight›" in text
    after = gm.state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(v, after[k]) for k, v in before.items())


def test_quantize_and_dequantize_show_dtype_and_qparams(stages):
    text = draw(stages["q"]).text
    assert re.search(r"^quantize_per_tensor_default: quantize int8, scale 0\.0\d+, zero point -?\d+ ← x$", text, re.M)
    assert "dequantize_per_channel_default: dequantize int8, 8 scales, axis 0 ← ‹_frozen_param0›" in text
    assert "_scale_0" not in text


def test_fake_quant_shows_its_switches():
    _gm, prepared = make("conv_relu", qat=True)
    assert draw(prepared).text.count("no data yet, observer on · fake quant on") == 3
    prepared(*example_inputs())
    prepared.apply(disable_observer)
    text = draw(prepared).text
    assert text.count("observer off · fake quant on") == 3
    assert "8 scales, axis 0" in text
    assert "no data yet" not in text


def test_a_fake_quant_shows_the_scale_that_its_forward_uses():
    gm, _p = make("conv_relu")
    gm.add_module("fq", FakeQuantize(observer=MinMaxObserver))
    gm.fq.scale.fill_(0.25)
    gm.fq.zero_point.fill_(3)
    with gm.graph.inserting_before(next(n for n in gm.graph.nodes if n.name == "relu")):
        gm.graph.call_module("fq", (next(n for n in gm.graph.nodes if n.name == "conv2d"),))
    assert "fq: FakeQuantize, scale 0.25, zero point 3, observer on" in draw(gm).text


def test_a_students_observer_that_raises_costs_its_own_line_only(stages):
    class Broken(MinMaxObserver):
        def calculate_qparams(self):
            raise RuntimeError("not written yet")

    gm = copy.deepcopy(stages["calibrated"])
    gm.activation_post_process_0 = Broken()
    gm.activation_post_process_0(torch.ones(2))
    assert "activation_post_process_0: Broken ← x" in draw(gm).text


def test_kinds_have_fills_and_outlines_of_their_own(stages):
    _gm, fake = make("conv_relu", qat=True)
    seen = {}
    for name, gm in (("observer", stages["prepared"]), ("qdq", stages["q"]), ("fake", fake)):
        root = ET.fromstring(draw(gm).svg or "")
        seen[name] = {(e.get("fill"), re.sub(r"[-\d.]+", "", e.get("d", ""))) for e in root.iter(f"{SVG}path")}
        seen[name] -= {s for s in seen[name] if s[0] == "none"}
    assert [len(s) for s in seen.values()] == [1, 2, 1]
    assert len({fill for s in seen.values() for fill, _outline in s}) == 4


# -- focus, hops, notes


def test_focus_and_hops(residual):
    _gm, prepared = residual
    d = draw(prepared, focus="add", hops=1)
    assert [line.split(" ")[0].rstrip(":") for line in d.text.splitlines()] == [
        "activation_post_process_2",
        "activation_post_process_4",
        "add",
        "relu_1",
    ]
    assert texts(d.svg).count("…") == 4  # before both observers, after the first one (it feeds conv2d_1), after relu_1
    assert "add ← activation_post_process_4, activation_post_process_2" in d.text


def test_what_stands_between_focused_nodes_comes_along(residual):
    _gm, prepared = residual
    text = draw(prepared, focus=["relu", "conv2d_1"], hops=0).text
    assert lines(text, "activation_post_process_2:")  # between relu and conv2d_1
    assert lines(text, "activation_post_process_3:")  # between the weight and conv2d_1
    assert not lines(text, "activation_post_process_4:")


def test_focus_takes_names_first_then_ops_then_kinds(residual):
    gm, prepared = residual
    assert len(draw(gm, focus="conv2d", hops=0).text.splitlines()) == 1
    both = Picture(tuple(n for n in picture_of(gm).nodes if n.name != "conv2d"))
    assert lines(draw(both, focus="conv2d", hops=0).text, "conv2d_1")
    assert draw(prepared, focus="observer", hops=0).text.count("Observer") == 6


def test_unknown_names_are_answered_with_near_ones(stages):
    with pytest.raises(ValueError, match=r"no 'conv'.*conv2d"):
        draw(stages["gm"], focus=["conv"])
    with pytest.raises(ValueError, match=r"notes: .*no 'relu_7'.*relu"):
        draw(stages["gm"], notes={"relu_7": "?"})
    with pytest.raises(ValueError, match="mark"):
        draw(stages["gm"], mark=[("x", "nobody")])
    with pytest.raises(ValueError, match="focus"):
        draw_stages([(stages["gm"], "a"), (stages["q"], "b")], focus="batch_norm")
    with pytest.raises(ValueError, match="rankdir"):
        draw(stages["gm"], rankdir="down")
    with pytest.raises(TypeError, match="GraphModule"):
        draw(get_model("conv_relu"))  # type: ignore[arg-type]


def test_notes_stand_on_their_node_and_bring_a_weight_out(stages):
    d = draw(stages["gm"], notes={"relu": "the label is here", "conv_weight": "8 filters"}, rankdir="LR")
    assert "    ✎ the label is here" in d.text.splitlines()
    assert "✎ the label is here" in texts(d.svg)
    assert "‹conv_weight›" in d.text.splitlines()
    assert "conv2d ← x, ‹conv_weight›, ‹conv_bias›" in d.text


# -- stages


def test_stages_frame_what_is_new_and_what_goes(stages):
    d = draw_stages(
        [(stages["gm"], "export"), (stages["calibrated"], "prepare"), (stages["q"], "convert")], title="PTQ"
    )
    assert len(lines(d.text, "+ activation_post_process_")) == 0  # they are new and go again: both marks
    assert len(lines(d.text, "+ - activation_post_process_")) == 3
    assert len(lines(d.text, "+ quantize_per_tensor_default")) == 2
    assert [t for t in texts(d.svg) if t in ("export", "prepare", "convert")] == ["export", "prepare", "convert"]
    assert "thick green frame" in d.html and "dashed frame" in d.html
    root = ET.fromstring(d.svg or "")
    framed = [e for e in root.iter() if e.get("stroke") == "#009e73"]
    assert len(framed) == 3 + 5
    assert sum(e.get("stroke-dasharray") is not None for e in framed) == 3


def test_equal_stages_have_no_frames_and_no_legend(stages):
    d = draw_stages([(stages["prepared"], "by hand"), (copy.deepcopy(stages["prepared"]), "by prepare_pt2e")])
    assert not d.legend
    assert "#009e73" not in (d.svg or "")


def test_a_focus_may_be_missing_in_a_stage(residual):
    gm, prepared = residual
    d = draw_stages([(gm, "export"), (prepared, "prepare")], focus=["activation_post_process_2"], hops=1)
    assert lines(d.text, "+ activation_post_process_2")


# -- broken and hostile graphs


def test_a_self_loop_and_a_dangling_module_draw(residual):
    gm = copy.deepcopy(residual[0])
    relu = next(n for n in gm.graph.nodes if n.name == "relu")
    gm.add_module("obs", HistogramObserver())
    with gm.graph.inserting_after(relu):
        obs = gm.graph.call_module("obs", (relu,))
    del gm.obs
    relu.replace_all_uses_with(obs)
    d = draw(gm, mark=["obs", ("obs", "obs"), ("relu", "obs")])
    assert "✗ obs: no module of this name ← ✗ obs, ✗ relu (this edge is missing)" in d.text
    assert texts(d.svg).count(" ✗") == 2
    assert "✗ obs" in texts(d.svg)
    assert "#d55e00" in (d.svg or "")


def test_facts_of_a_graph_in_a_wrong_order_draw():
    nodes = [
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "kwargs": {}},
        {"name": "obs", "op": "call_module", "target": "m", "args": [{"node": "relu"}], "kwargs": {}},
        {
            "name": "relu",
            "op": "call_function",
            "target": "aten.relu.default",
            "args": [{"node": "gone"}],
            "kwargs": {},
        },
        {"name": "relu", "op": "call_function", "target": "aten.relu.default", "args": [[{"node": "x"}]], "kwargs": {}},
        {"name": "output", "op": "output", "target": "output", "args": [[{"node": "obs"}]], "kwargs": {}},
    ]
    picture = picture_from_facts(nodes, {"m": {"type": "MinMaxObserver", "from": "torchao"}})
    text = draw(picture).text
    assert "obs: MinMaxObserver ← relu" in text
    assert "relu ← gone" in text
    assert "gone: not in the graph" in text
    assert len(lines(text, "relu")) == 2


def test_facts_and_graph_give_the_same_picture(stages):
    from common.exercise.graphs import graph_facts

    facts = graph_facts(stages["gm"])
    assert draw(picture_from_facts(facts["nodes"], facts["modules"])).text == draw(stages["gm"]).text


NASTY = (
    "<script>alert(1)</script>",
    '"]; end',
    "```\n# x",
    "a\x00b\x1b[31m\u202e",
    "&quot;<b>\\",
    "x" * 5000,
    "-->|a|",
    "",
)


def nasty_picture() -> Picture:
    facts = [
        {
            "name": f"{i}{s}",
            "op": "call_function",
            "target": s,
            "args": [{"node": f"{i - 1}{NASTY[i - 1]}"}],
            "kwargs": {},
        }
        for i, s in enumerate(NASTY)
    ]
    return picture_from_facts(facts)


def test_hostile_names_stay_text():
    picture = nasty_picture()
    names = [n.name for n in picture.nodes]
    d = draw(picture, title=NASTY[0], notes={names[1]: NASTY[0]})
    assert "<script" not in d.html
    assert "\x1b" not in d.text and "\u202e" not in d.text and "\x00" not in d.html
    assert len(d.html) < 20_000
    tags = {e.tag.removeprefix(SVG) for e in ET.fromstring(d.svg or "").iter()}
    assert tags <= {"svg", "g", "path", "polygon", "ellipse", "text", "polyline"}
    assert any("<script>" in t for t in texts(d.svg))


def test_hostile_names_stay_text_in_mermaid(no_dot):
    d = draw(nasty_picture(), title=NASTY[2])
    markdown = d._repr_mimebundle_()["text/markdown"]
    assert markdown.count("```") == 2
    assert "<script" not in markdown
    for label in re.findall(r'"(.*)"', markdown):
        assert not re.search(r"[\"`\\|;\[\]]", re.sub(r"#\d+;", "", label))


def test_long_names_lose_their_middle():
    assert clip("a" * 100) == "a" * 29 + "…" + "a" * 14


def test_a_graph_of_too_many_nodes_becomes_words():
    nodes = tuple(PictureNode(f"n{i}", "op", "relu", inputs=(f"n{i - 1}",) if i else ()) for i in range(600))
    d = draw(Picture(nodes))
    assert d.svg is None
    assert "600 nodes are too many" in d.html
    assert draw(Picture(nodes), focus="n7").svg is not None


@pytest.mark.parametrize(
    ("target", "short"),
    [
        ("aten.conv2d.default", "conv2d"),
        ("quantized_decomposed.dequantize_per_channel.default", "dequantize_per_channel"),
        ("torch.nn.functional.relu", "relu"),
        ("_operator.getitem", "getitem"),
        ("<built-in function add>", "add"),
        ("<function relu at 0x7f>", "relu"),
        ("view", "view"),
        ("", ""),
    ],
)
def test_short_target(target, short):
    assert short_target(target) == short


# -- output


def test_the_svg_suits_a_page(stages):
    d = draw(stages["prepared"], title="a & b")
    svg = d.svg or ""
    root = ET.fromstring(svg)
    assert all("id" not in e.attrib and "class" not in e.attrib for e in root.iter())
    assert "black" not in svg and "white" not in svg and "<!--" not in svg and "<title" not in svg
    assert all(t.get("fill") in ("currentColor", "#111111") for t in root.iter(f"{SVG}text"))
    assert 'role="img"' in d.html and 'aria-label="a &amp; b; graph of 7 nodes: ' in d.html
    assert "color:var(--jp-content-font-color1,#111)" in d.html
    assert len(svg) < 6000


def test_the_same_graph_gives_the_same_bytes(stages):
    a, b = (draw_stages([(stages["gm"], "a"), (copy.deepcopy(stages["q"]), "b")]) for _ in range(2))
    assert a.html == b.html


def test_labels_stay_apart_where_a_page_drops_svg(stages):
    bare = re.sub(r"<[^>]+>", "", draw(stages["gm"]).svg or "").splitlines()
    assert bare[:3] == ["x", "conv2d", "‹conv_weight›"]


def test_without_dot_mermaid_draws_the_same_graph(stages, no_dot):
    d = draw(stages["calibrated"], mark=["relu"], title="a picture")
    bundle = d._repr_mimebundle_()
    assert d.svg is None
    assert set(bundle) == {"text/markdown", "text/plain"}
    assert "```mermaid\nflowchart TB\n" in bundle["text/markdown"]
    assert "<b>✗ relu</b>" in bundle["text/markdown"]
    assert bundle["text/markdown"].count(" --> ") == 6
    assert bundle["text/plain"] == d.text
    assert "✗ relu ← conv2d" in d.text
    assert "conv2d" in d.html
    staged = draw_stages([(stages["gm"], "one"), (stages["q"], "two")])
    assert staged.markdown.count("```mermaid") == 2


def test_a_dot_that_fails_is_as_good_as_none(stages, monkeypatch, tmp_path):
    fake = tmp_path / "dot"
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "text/markdown" in draw(stages["gm"])._repr_mimebundle_()


def test_save(stages, tmp_path):
    d = draw(stages["gm"])
    assert "currentColor" not in d.save(tmp_path / "a.svg").read_text(encoding="utf-8")
    for ending in ("html", "md", "txt"):
        assert d.save(tmp_path / f"a.{ending}").stat().st_size > 50
    with pytest.raises(ValueError, match=r"\.svg"):
        d.save(tmp_path / "a.png")


def test_in_a_notebook_a_picture_is_shown_once(stages, monkeypatch):
    shell = InteractiveShell.instance()
    monkeypatch.setattr(shell, "execution_count", 7)
    shown: list[dict] = []
    monkeypatch.setattr("IPython.display.display", lambda bundle, raw: shown.append(bundle))
    try:
        d = draw(stages["gm"])
        assert len(shown) == 1
        d._ipython_display_()  # last line of the same cell
        assert len(shown) == 1
        monkeypatch.setattr(shell, "execution_count", 8)
        d._ipython_display_()  # asked for again in the next cell
        assert len(shown) == 2
        draw(stages["gm"], show=False)
        assert len(shown) == 2
    finally:
        InteractiveShell.clear_instance()


def test_importing_viz_does_not_load_torch():
    code = "import sys, common.viz; print('torch' in sys.modules, 'IPython' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


# -- tables


def test_table():
    t = table([["relu", 3, 0.123456, None], ["<b>", 12, 2.0, "a|b"]], ["op", "count", "scale", "note"])
    assert t.text.splitlines() == [
        "op    count   scale  note",
        "----  -----  ------  ----",
        "relu      3  0.1235  —",
        "<b>      12       2  a|b",
    ]
    assert "&lt;b&gt;" in t.html and "<b>" not in t.html
    assert "background" not in t.html and "var(--jp-content-font-color1,#111)" in t.html
    assert set(t._repr_mimebundle_()) == {"text/html", "text/plain"}


def test_table_aligns_wide_characters_and_takes_no_rows():
    assert table([["步驟", "x"], ["a", "y"]], ["k", "v"]).text.splitlines()[2:] == ["步驟  x", "a     y"]
    assert table([], ["k"]).text == "k\n-"
    with pytest.raises(ValueError, match="row 1 has 1 cells"):
        table([[1, 2], [3]], ["a", "b"])
