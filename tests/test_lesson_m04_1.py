"""The facts that lesson m04_1 shows, on the machine that runs the tests."""

import copy

import pytest
import torch

from common.checks.m04_1 import _bn
from common.checks.m04_1.safe_to_fold import SafeToFold, unsafe
from common.checks.m04_1.still_there import truth
from common.checks.m04_1.train_export_leftover import leftovers
from common.env import quiet
from common.exercise import Case
from common.graph_utils import sqnr
from common.models import example_inputs
from common.pt2e import export_module, move_exported_model_to_eval

quiet()
aten = torch.ops.aten

NETS = (
    "bn_places",
    "bn_side_reader",
    "bn_padded",
    "bn_tied",
    "bn_bias_read",
    "bn_two_heads",
    "bn_counted",
    "bn_read_twice",
    "bn_deep_head",
    "own_counter",
    "conv_bn_drop",
    "tiny",
)


@pytest.fixture
def x() -> torch.Tensor:
    return example_inputs(seed=3)[0]


def _distance(case: Case, x: torch.Tensor) -> float:
    """How far folding alone changes what a net computes."""
    before = _bn.graph(case)
    after = _bn.prepared_without_labels(copy.deepcopy(before))
    with torch.no_grad():
        return sqnr(before(x), after(x))


@pytest.mark.parametrize("model", NETS)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_rules_for_folding_agree_with_what_comes_out(model: str, seed: int, x: torch.Tensor) -> None:
    case = Case(model=model, seed=seed)
    folded = {n.name for n in _bn.batch_norms(_bn.graph(case)) if _bn.takes_a_norm(n.args[0])}
    left = {n.name for n in _bn.batch_norms(_bn.prepared_without_labels(_bn.graph(case)))}
    reasons = unsafe(_bn.graph(case))
    assert folded == set(reasons) - left
    if any(reasons[name] for name in folded):
        assert _distance(case, x) < 40
    else:
        assert _distance(case, x) > 110


def test_what_the_prediction_is_about() -> None:
    assert truth() == [True, False, True, False, False, False]


@pytest.mark.parametrize("seed", range(5))
def test_a_clone_keeps_a_batch_norm_from_being_folded(seed: int, x: torch.Tensor) -> None:
    gm = _bn.graph(Case(model="bn_side_reader", seed=seed))
    with torch.no_grad():
        want = gm(x)
    norm = _bn.batch_norms(gm)[0]
    with gm.graph.inserting_before(norm):
        between = gm.graph.call_function(aten.clone.default, (norm.args[0],))
    between.meta = dict(norm.args[0].meta)
    norm.update_arg(0, between)
    gm.recompile()
    after = _bn.prepared_without_labels(gm)
    with torch.no_grad():
        assert sqnr(want, after(x)) > 110
    assert len(_bn.batch_norms(after)) == 1


def test_train_mode_leaves_a_counter_and_a_dropout(x: torch.Tensor) -> None:
    after = _bn.prepared_without_labels(_bn.graph(Case(model="conv_bn_drop", mode="train")))
    assert leftovers(after) == {"counters": {"add_"}, "dropouts": {"dropout"}, "batch norms": set()}
    counter = dict(after.named_buffers())["bn.num_batches_tracked"]
    before = counter.item()
    with torch.no_grad():
        assert not torch.equal(after(x), after(x))
    assert counter.item() == before + 2


def test_moving_to_eval_leaves_the_counter() -> None:
    gm = export_module(_bn.net("conv_bn_drop", 0).train(), example_inputs())
    move_exported_model_to_eval(gm)
    assert leftovers(gm) == {"counters": {"add_"}, "dropouts": set(), "batch norms": set()}


def test_a_batch_norm_without_statistics_always_trains() -> None:
    norms = _bn.batch_norms(_bn.graph(Case(model="bn_no_statistics")))
    assert [n.args[5] for n in norms] == [True, False] and norms[0].args[3] is None
    with pytest.raises(TypeError):
        _bn.prepared_without_labels(_bn.graph(Case(model="bn_no_statistics")))


def test_every_reason_is_shown_in_a_public_case() -> None:
    shown = set().union(*(why for case in SafeToFold.public_cases for why in unsafe(_bn.graph(case)).values()))
    assert shown == {"no-conv", "second-reader", "shared-weight", "training"}
