"""`common.measure`: a measuring program in a limited process, and `common.backends.pte` on files of every kind."""

import functools
import time
from pathlib import Path

import pytest
import torch

from common import measure as measuring
from common.backends.pte import MAX_BYTES, run_pte
from common.env import quiet
from common.measure import MeasureLimits, measure
from common.platform_checks import PARTS

quiet()

needs_executorch = pytest.mark.skipif(not PARTS["executorch"].check().good, reason="executorch is not installed")
needs_bubblewrap = pytest.mark.skipif(not PARTS["bubblewrap"].check().good, reason="bubblewrap does not work here")

PROGRAM = """
import os, pathlib, signal, socket, time

def run(values, tensors, files):
    what = values["what"]
    if what == "twice":
        return {"bytes": len(files["blob"])}, {"y": tensors["x"] * 2}
    if what == "raise":
        raise ValueError("not so")
    if what == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "sleep":
        print("noise"); time.sleep(60)
    if what == "spin":
        while True: pass
    if what == "memory":
        return {}, {"y": tensors["x"].new_ones(10**9)}
    if what == "big":
        return {}, {"y": tensors["x"].new_ones(10**7)}
    if what == "leave":
        os._exit(3)
    if what == "silent":
        os._exit(0)
    if what == "link":
        os.symlink("/etc/passwd", values["out"] + "/reply.json"); os.symlink("/etc/passwd", values["out"] + "/tensors.safetensors")
        os._exit(0)
    if what == "garbage":
        pathlib.Path("reply.json").write_text("{]"); pathlib.Path("tensors.safetensors").write_bytes(b"?" * 40)
        os._exit(0)
    if what == "pipe":
        os.mkfifo("reply.json"); os._exit(0)
    if what == "odd":
        return {"a": object()}, {}
    if what == "look":
        seen = sorted(os.environ)
        try:
            socket.create_connection(("1.1.1.1", 53), 2); net = True
        except OSError:
            net = False
        try:
            pathlib.Path(values["write"]).write_text("x"); wrote = True
        except OSError:
            wrote = False
        return {"env": seen, "net": net, "wrote": wrote, "home": os.path.exists(values["see"])}, {}
"""


@pytest.fixture(params=["sandbox", "limits only"])
def program(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The module above, where the process can find it; with bubblewrap and without."""
    if request.param == "limits only":
        monkeypatch.setattr(measuring, "_bubblewrap_program", lambda: None)
    elif not PARTS["bubblewrap"].check().good:
        pytest.skip("bubblewrap does not work here")
    folder = tmp_path / "site-packages"
    folder.mkdir()
    # Without a sandbox the process starts in the folder above `out`.
    start = "import os\nos.chdir(os.environ['HOME'])\n"
    (folder / "odd_program.py").write_text(start + PROGRAM)
    monkeypatch.syspath_prepend(str(folder))
    return "odd_program"


def _measure(program: str, what: str, limits: MeasureLimits | None = None, **values: str):
    return measure(program, {"what": what, **values}, {"x": torch.arange(3.0)}, {"blob": b"12345"}, limits)


def test_values_and_tensors_come_back(program: str) -> None:
    outcome = _measure(program, "twice")
    assert outcome.done and outcome.values == {"bytes": 5}
    assert torch.equal(outcome.tensors["y"], torch.tensor([0.0, 2.0, 4.0]))


@pytest.mark.parametrize(
    ("what", "status", "words"),
    [
        ("raise", "raised", "ValueError: not so"),
        ("odd", "raised", "TypeError"),
        ("crash", "died", "SIGSEGV"),
        ("leave", "died", "code 3"),
        ("memory", "raised", "memory"),
        ("big", ("died", "raised"), ""),
        ("silent", "malformed", "missing"),
        ("garbage", "malformed", "cannot be read"),
        ("pipe", "malformed", "missing"),
    ],
)
def test_whatever_happens_is_an_outcome(program: str, what: str, status, words: str) -> None:
    outcome = _measure(program, what, MeasureLimits(memory_bytes=2**30, file_bytes=2**20))
    assert outcome.status in ((status,) if isinstance(status, str) else status), outcome
    assert words in outcome.message
    assert not outcome.tensors


def test_a_link_in_place_of_a_reply_is_not_followed(program: str) -> None:
    assert _measure(program, "link", out=".").status == "malformed"


def test_time_is_limited(program: str) -> None:
    start = time.monotonic()
    assert _measure(program, "sleep", MeasureLimits(seconds=4)).status == "timeout"
    outcome = _measure(program, "spin", MeasureLimits(cpu_seconds=4))
    assert outcome.status == "died" and "SIG" in outcome.message
    assert time.monotonic() - start < 30


@needs_bubblewrap
def test_inside_there_is_no_network_and_nothing_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "odd_program.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("A_SECRET", "x")
    course = Path(measuring.__file__).parent
    outcome = _measure("odd_program", "look", write=str(course / "new"), see=str(course.parent / "source"))
    assert outcome.done, outcome
    assert not outcome.values["net"] and not outcome.values["wrote"] and not outcome.values["home"]
    assert "A_SECRET" not in outcome.values["env"]


def test_a_program_that_is_not_there_is_our_mistake() -> None:
    assert measure("common.backends.nothing").status == "broken"


def test_nothing_is_left_behind(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "temporary"
    kept.mkdir()
    monkeypatch.setattr(measuring.tempfile, "mkdtemp", functools.partial(measuring.tempfile.mkdtemp, dir=kept))
    for what in ("twice", "crash", "garbage"):
        _measure(program, what)
    assert not list(kept.iterdir())


# .pte files


@functools.cache
def _pte(*, delegated: bool = True) -> bytes:
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    class Small(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(4, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.linear(x).relu()

    torch.manual_seed(0)
    program = torch.export.export(Small().eval(), (torch.ones(2, 4),))
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()] if delegated else [])
    return bytes(edge.to_executorch().buffer)


@needs_executorch
@pytest.mark.parametrize("delegated", [True, False])
def test_a_pte_runs(delegated: bool) -> None:
    x = torch.randn(2, 4)
    run = run_pte(_pte(delegated=delegated), [x])
    assert run.done and not run.error, run
    assert run.delegates == (("XnnpackBackend",) if delegated else ())
    assert bool(run.kernels) != delegated
    torch.manual_seed(0)
    torch.testing.assert_close(run.outputs[0], torch.nn.Linear(4, 3)(x).relu().detach())


@needs_executorch
@pytest.mark.parametrize(
    ("damage", "stages"),
    [
        (lambda d: b"", "read"),
        (lambda d: b"GET / HTTP/1.1\r\n" * 300, "read"),
        (lambda d: b"PK\x03\x04" + bytes(3000), "read"),
        (lambda d: bytes(len(d)), "read"),
        (lambda d: d[:40], "read"),
        (lambda d: d[: len(d) // 2], "read load run"),
        (lambda d: d[:-40], "read load run done"),
        (lambda d: d[:8] + bytes(reversed(d[8:])), "read load run"),
        (lambda d: b"\xff\xff\xff\x7f" + d[4:], "read load run"),
        (lambda d: bytes(MAX_BYTES + 1), "read"),
    ],
    ids=["empty", "text", "zip", "zeros", "head", "half", "end cut", "reversed", "wild root", "too large"],
)
def test_a_file_that_is_none_is_a_result(damage, stages: str, capfd: pytest.CaptureFixture[str]) -> None:
    run = run_pte(damage(_pte()), [torch.randn(2, 4)])
    assert run.stage in stages.split()
    assert run.done or (run.error and not run.outputs)
    assert capfd.readouterr() == ("", "")


@needs_executorch
@pytest.mark.parametrize("seed", range(6))
def test_flipped_bytes_never_reach_us(seed: int) -> None:
    data = bytearray(_pte())
    generator = torch.Generator().manual_seed(seed)
    for place in torch.randint(8, len(data), (60,), generator=generator).tolist():
        data[place] = (data[place] + 1 + seed * 37) % 256
    run_pte(bytes(data), [torch.randn(2, 4)])


@needs_executorch
@pytest.mark.parametrize("inputs", [[], [torch.randn(3, 4)], [torch.zeros(2, 4, dtype=torch.int64)]])
def test_inputs_that_do_not_fit(inputs: list[torch.Tensor]) -> None:
    run = run_pte(_pte(), inputs)
    assert run.stage == "run" and run.error and not run.outputs
