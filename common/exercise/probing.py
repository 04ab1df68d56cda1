"""Run one probe on one case from a fixed state, and keep the student's surroundings as they were."""

import io
import random
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

from common.exercise.base import Case, Exercise
from common.exercise.evidence import Piece, Recorder, StudentStopped


@contextmanager
def fixed_state(seed: int) -> Iterator[None]:
    """Fixed dtype, threads, grad mode and random state inside; the caller's own afterwards.

    Probe and judge both start from here: that is why their results can be compared bit by bit.
    """
    import numpy as np
    import torch

    dtype, threads, grad = torch.get_default_dtype(), torch.get_num_threads(), torch.is_grad_enabled()
    torch_state, py_state, np_state = torch.get_rng_state(), random.getstate(), np.random.get_state()
    try:
        torch.set_default_dtype(torch.float32)
        torch.set_num_threads(1)
        torch.set_grad_enabled(True)
        torch.manual_seed(seed)
        random.seed(seed)
        np.random.seed(seed % 2**32)
        yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_num_threads(threads)
        torch.set_grad_enabled(grad)
        torch.set_rng_state(torch_state)
        random.setstate(py_state)
        np.random.set_state(np_state)


def run_probe(exercise: Exercise, answer: Any, case: Case) -> Piece:
    """Try `answer` on `case` and return the evidence. Never raises for what the answer does."""
    ev = Recorder(exercise, case)
    out = io.StringIO()
    with fixed_state(int(case.seed)), redirect_stdout(out), redirect_stderr(io.StringIO()):
        try:
            exercise.probe(answer, case, ev)
        except StudentStopped:
            pass
        except Exception as error:
            ev.broken(error)
        ev.stdout = out.getvalue()
        try:
            return ev.piece()
        except Exception as error:  # facts that cannot be written: an oddity of the answer's objects
            again = Recorder(exercise, case)
            again.broken(error)
            return again.piece()
