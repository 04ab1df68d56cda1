"""Read and run a .pte file (ExecuTorch) in a process of its own: `run_pte`; and the program that runs there."""

import importlib
import importlib.util
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from common.measure import MeasureLimits, Outcome, measure

if TYPE_CHECKING:
    import torch

MAX_BYTES = 3 * 2**20
"""The largest file that is tried: evidence of a case may have 4 MiB."""


@dataclass(frozen=True)
class PteRun:
    """What a .pte file holds, and what it gave for some inputs.

    Attributes:
        error: why there are no outputs; "" where there are.
        stage: how far it came: "read" (is it such a file at all), "load", "run", "done".
        delegates: the backends of its delegates, one entry for each call, such as ``("XnnpackBackend",)``.
        kernels: the operators that run outside of delegates, one entry for each call.
        shapes: the shapes that the file declares for its inputs; where `static` is false, the largest ones.
        static: whether the inputs have these shapes and no others.
        outputs: the tensors that came out.
    """

    error: str
    stage: str
    delegates: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()
    static: bool = True
    outputs: "tuple[torch.Tensor, ...]" = ()

    @property
    def done(self) -> bool:
        """Whether it ran."""
        return self.stage == "done"


def run_pte(data: bytes, inputs: "Sequence[torch.Tensor]", limits: MeasureLimits | None = None) -> PteRun:
    """Run the method ``forward`` of a .pte file on inputs, in a limited process.

    Never raises for what the file is or does.

    Raises:
        RuntimeError: the measuring process cannot even start here: our side, and no property of the file.
    """
    if len(data) > MAX_BYTES:
        return PteRun(f"the file is larger than {MAX_BYTES // 2**20} MiB", "read")
    tensors = {f"input_{n}": tensor for n, tensor in enumerate(inputs)}
    outcome = measure("common.backends.pte", {"inputs": len(inputs)}, tensors, {"program": data}, limits)
    if outcome.status == "broken":
        raise RuntimeError(f"the process that runs .pte files does not start: {outcome.message}")
    return _as_run(outcome)


def _as_run(outcome: Outcome) -> PteRun:
    """Take the reply apart; the process that wrote it is not trusted, so nothing about it is taken for granted."""
    if not outcome.done:
        return PteRun(outcome.message or outcome.status, "run")
    values = outcome.values
    names = [values.get("delegates"), values.get("kernels")]
    if not all(isinstance(n, list) and all(isinstance(x, str) for x in n) for n in names):
        return PteRun("its reply cannot be read", "run")
    shapes, static = values.get("shapes"), values.get("static")
    if not (isinstance(shapes, list) and all(isinstance(s, list) and all(type(d) is int for d in s) for s in shapes)):
        return PteRun("its reply cannot be read", "run")
    stage, error = values.get("stage"), str(values.get("error", ""))[:500]
    outputs = tuple(outcome.tensors[k] for k in sorted(outcome.tensors, key=lambda k: (len(k), k)))
    if stage not in ("read", "load", "run", "done"):
        return PteRun("its reply cannot be read", "run")
    declared = tuple(tuple(s) for s in shapes)
    return PteRun(error, stage, tuple(names[0]), tuple(names[1]), declared, static is True, outputs)  # type: ignore[arg-type]


# The program that `common.measure` runs: from here on, only in the process of its own


def prepare() -> None:
    """Load the runtime: torch takes a second, and the exporting part of executorch three more, so that stays out."""
    import torch

    torch.set_num_threads(1)
    for name in ("executorch.exir", "executorch.exir._serialize"):
        if name not in sys.modules:
            spec = importlib.util.find_spec("executorch")
            assert spec is not None and spec.submodule_search_locations is not None
            part = types.ModuleType(name)
            inner = name.split(".")[1:]
            part.__path__ = ["/".join([root, *inner]) for root in spec.submodule_search_locations]
            sys.modules[name] = part
    importlib.import_module("executorch.runtime")
    _schema()


@cache
def _schema() -> Any:
    """The generated classes of the file format. They name each other's modules where they mean the classes in them,
    and executorch mends that in a place that we do not load."""
    package = importlib.import_module("executorch.exir._serialize.generated.executorch_flatbuffer")
    modules = [m for m in vars(package).values() if isinstance(m, types.ModuleType)]
    for module in modules:
        for name, other in list(vars(module).items()):
            if isinstance(other, types.ModuleType) and isinstance(getattr(other, name, None), type):
                setattr(module, name, getattr(other, name))
    return package


def run(
    values: Mapping[str, Any], tensors: "Mapping[str, torch.Tensor]", files: Mapping[str, bytes]
) -> "tuple[dict[str, Any], dict[str, torch.Tensor]]":
    """Read the structure of ``files["program"]``, load it, and run it on the inputs."""
    import torch
    from executorch.runtime import Runtime

    data = files["program"]
    told: dict[str, Any] = {"stage": "read", "error": "", "delegates": [], "kernels": [], "shapes": [], "static": True}
    try:
        plan = _forward(data)
        told["delegates"], told["kernels"] = _calls(plan)
        told["shapes"], told["static"] = _inputs(plan)
        told["stage"] = "load"
        program = Runtime.get().load_program(data)
        method = program.load_method("forward")
        if method is None:
            raise ValueError("it has no method forward")
        told["stage"] = "run"
        outputs = method.execute([tensors[f"input_{n}"] for n in range(values["inputs"])])
        if not all(isinstance(o, torch.Tensor) for o in outputs):
            raise ValueError("it does not give tensors only")
    except Exception as error:
        told["error"] = f"{type(error).__name__}: {error}"[:500]
        return told, {}
    return told | {"stage": "done"}, {f"output_{n}": tensor for n, tensor in enumerate(outputs)}


def _forward(data: bytes) -> Any:
    """The execution plan of the method forward."""
    schema = _schema()
    if data[4:8] != b"ET12":
        raise ValueError("it is not a .pte file")
    program = schema.Program.Program.GetRootAs(data, 0)
    plans = [program.ExecutionPlan(n) for n in range(min(program.ExecutionPlanLength(), 100))]
    plan = next((p for p in plans if p.Name() == b"forward"), None)
    if plan is None:
        raise ValueError("it has no method forward")
    return plan


def _inputs(plan: Any) -> tuple[list[list[int]], bool]:
    """The shapes of the inputs that are tensors, and whether all of them are static."""
    schema, shapes, static = _schema(), [], True
    for number in range(min(plan.InputsLength(), 100)):
        value = plan.Values(plan.Inputs(number))
        if value.ValType() == schema.KernelTypes.KernelTypes.Tensor:
            tensor = schema.Tensor.Tensor()
            tensor.Init(value.Val().Bytes, value.Val().Pos)
            shapes.append([int(tensor.Sizes(n)) for n in range(min(tensor.SizesLength(), 20))])
            static = static and tensor.ShapeDynamism() == schema.TensorShapeDynamism.TensorShapeDynamism.STATIC
    return shapes, static


def _calls(plan: Any) -> tuple[list[str], list[str]]:
    """The backend of each call of a delegate, and the operator of each call of a kernel."""
    schema = _schema()
    kinds = schema.InstructionArguments.InstructionArguments
    delegates, kernels = [], []
    for chain in (plan.Chains(n) for n in range(min(plan.ChainsLength(), 100))):
        for step in (chain.Instructions(n) for n in range(min(chain.InstructionsLength(), 10_000))):
            if step.InstrArgsType() == kinds.DelegateCall:
                call = schema.DelegateCall.DelegateCall()
                call.Init(step.InstrArgs().Bytes, step.InstrArgs().Pos)
                delegates.append(plan.Delegates(call.DelegateIndex()).Id().decode()[:100])
            elif step.InstrArgsType() == kinds.KernelCall:
                call = schema.KernelCall.KernelCall()
                call.Init(step.InstrArgs().Bytes, step.InstrArgs().Pos)
                kernels.append(plan.Operators(call.OpIndex()).Name().decode()[:100])
    return delegates, kernels
