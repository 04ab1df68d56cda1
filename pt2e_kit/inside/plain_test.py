"""Plain test cells (asserts, a shown score): each runs in a process of its own, forked from the student's.

They need the student's objects, so they cannot run elsewhere. What can be done is done: the test's source comes from
the instructor, past every transformer of the student's; what was replaced is put back (see `pristine`); and the score
is taken from the value of the test's own last line, not from what anybody displays. What a student's object itself does
when it is compared cannot be undone: the grader notes what looks like it.
"""

import ast
import builtins
import contextlib
import gc
import inspect
import json
import math
import os
import signal
import sys
import traceback
from typing import Any

from pt2e_kit.inside import pristine

_fork, _waitpid, _exit, _read, _write = os.fork, os.waitpid, os._exit, os.read, os.write
_compile, _exec, _eval, _dumps, _loads = compile, exec, eval, json.dumps, json.loads
_restore = pristine.restore
_NONE = object()


def run_test(shell: Any, reports: Any, order: dict[str, Any]) -> dict[str, Any]:
    """Run a test cell in a forked process; return its report.

    ``status`` is "ok" when the test came to its end; ``score`` what its last line gave, as text and, where it is a
    plain finite number, as that; ``changed`` and ``hidden`` name what had to be put back; ``died`` says that the
    process ended in the middle.
    """
    reader, writer = os.pipe()
    child = _forked()
    if child == 0:
        try:
            os.close(reader)
            os.setsid()
            reports.owner = os.getpid()
            report = _run(shell, reports, order) | {"token": order["token"]}
            _write(writer, _dumps(report).encode()[:60000])
        finally:
            _exit(0)
    os.close(writer)
    data = b""
    try:
        while piece := _read(reader, 1 << 16):
            data += piece
    finally:  # an interrupt: the test took too long
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        os.close(reader)
        _waitpid(child, 0)
    try:
        report = _loads(data)
    except ValueError:
        report = {}
    if not isinstance(report, dict) or report.get("token") != order["token"]:
        reports.output("error", ename="ProcessEnded", evalue="", traceback=["the process ended while the test ran"])
        return {"status": "error", "died": True}
    return report


def _forked() -> int:
    """Fork; where there are too many processes, bury those first that have ended."""
    try:
        return _fork()
    except OSError:
        with contextlib.suppress(ChildProcessError):
            while _waitpid(-1, os.WNOHANG)[0]:
                pass
        return _fork()


def _run(shell: Any, reports: Any, order: dict[str, Any]) -> dict[str, Any]:
    from pt2e_kit.inside.shell import flush

    for reset in (sys.settrace, sys.setprofile):
        reset(None)
    gc.callbacks.clear()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    names: dict[str, Any] = shell.user_ns
    changed = _restore()
    if type(names) is not dict:
        names = dict(dict.items(names)) if isinstance(names, dict) else {}
        changed.append("get_ipython().user_ns")
    hidden = _own_names(names, order)
    report: dict[str, Any] = {"status": "error", "changed": changed[:20], "hidden": hidden[:20]}
    try:
        value = _value(order["source"], names)
        report |= {"status": "ok", "score": _shown(value)}
    except BaseException as error:
        flush()
        lines = _lines(error)
        reports.output("error", ename=type(error).__name__, evalue=_safe_text(error), traceback=lines)
    flush()
    return report


def _own_names(names: dict[str, Any], order: dict[str, Any]) -> list[str]:
    """Give the test Python's built-ins and the instructor's imports under their names; return what was in their place."""
    expected = set(order.get("names", ()))
    names["__builtins__"] = builtins
    hidden = []
    for name in [n for n in names if n in vars(builtins) and n not in expected and not n.startswith("__")]:
        if names[name] is not vars(builtins)[name] and name not in ("exit", "quit", "open", "display", "get_ipython"):
            hidden.append(name)
            del names[name]
    for statement in order.get("imports", ()):
        found: dict[str, Any] = {}
        try:
            _exec(_compile(statement, "<import>", "exec", dont_inherit=True), found)
        except Exception:
            continue  # it failed in the notebook too, or will be done by the test itself
        found.pop("__builtins__", None)
        for name, value in found.items():
            if name not in expected and names.get(name, _NONE) is not value:
                if name in names:
                    hidden.append(name)
                names[name] = value
    return hidden


def _value(source: str, names: dict[str, Any]) -> Any:
    """Run the source, and return the value of its last line where that is an expression that a notebook shows."""
    body = ast.parse(source, "<test>").body
    last = body[-1] if body else None
    if not isinstance(last, ast.Expr) or source.rstrip().endswith(";"):
        _do(ast.Module(body, []), "exec", names)
        return None
    _do(ast.Module(body[:-1], []), "exec", names)
    return _do(ast.Expression(last.value), "eval", names)


def _do(tree: ast.Module | ast.Expression, mode: str, names: dict[str, Any]) -> Any:
    code = _compile(tree, "<test>", mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    if code.co_flags & inspect.CO_COROUTINE:
        import asyncio

        return asyncio.run(_eval(code, names))
    return _eval(code, names)


def _shown(value: Any) -> dict[str, Any] | None:
    """A shown value as text, and as a number only where it is one: no subclass, no bool, no nan."""
    if value is None:
        return None
    kind, number = type(value), None
    if kind is int or kind is float:
        number = value
    elif kind.__module__ == "numpy" and kind.__name__ != "ndarray" and getattr(value, "shape", None) == ():
        plain = value.item()
        number = plain if type(plain) in (int, float) else None
    if number is not None and not (math.isfinite(number) and abs(number) < 1e9):
        number = None
    if number is not None:
        return {"text": repr(number), "number": number}
    text = _safe_text(value, repr)
    if kind is not str and _looks_like_a_number(text):  # it is none, whatever it shows
        text = f"<{kind.__module__}.{kind.__qualname__}: {text}>"
    return {"text": text, "number": None}


def _looks_like_a_number(text: str) -> bool:
    try:
        return isinstance(ast.literal_eval(text.strip()), (int, float, complex))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False


def _safe_text(value: Any, to_text: Any = str) -> str:
    try:
        return str(to_text(value))[:1000].encode("utf-8", "replace").decode()
    except BaseException:
        return "?"


def _lines(error: BaseException) -> list[str]:
    try:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
        text = ["Traceback (most recent call last):", *(line.rstrip("\n") for line in traceback.format_list(frames))]
        return [*text, f"{type(error).__name__}: {_safe_text(error)}"]
    except BaseException:
        return [type(error).__name__]
