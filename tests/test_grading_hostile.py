"""Submissions that turn against the machine that grades them: sandbox, limits, and what the kernel sends and leaves."""

import asyncio
import json
import os
import pickle
import shutil
import socket
import sys
import threading
from pathlib import Path

import pytest
from grading_kit import QUICK, ROOT, cell, entry, grade, grade_tiny, make_cases, notes, put, scores, tiny, tiny_source
from nbformat.v4 import new_code_cell

from pt2e_kit.grading import execute, notebook, pipeline, sandbox, warm
from pt2e_kit.grading.warm import NotWarm
from pt2e_kit.settings import Limits

pytestmark = pytest.mark.slow
needs_sandbox = pytest.mark.skipif(sandbox.bubblewrap() is None, reason="bubblewrap is not installed or does not work")

SQUARE, MEAN = make_cases.GOOD["q1"], make_cases.GOOD["q2"]
FULL = [2, 3, 4, None]
SEND = "k = get_ipython().kernel\nsend = lambda kind, content: k.session.send(k.iopub_socket, kind, content, parent=k.get_parent('shell'))\n"
EVIDENCE = "import os, shutil\np = os.environ['PT2E_KIT_EVIDENCE']\n"

REPORTS = "import os\nhandles = [int(n) for n in os.listdir('/proc/self/fd') if int(n) > 2]\n"

# name: (source behind the first answer, scores, what a note or cause says)
TURNED_AGAINST_US = {
    "junk_in_every_pipe": (
        f"{REPORTS}for h in handles:\n    try: os.write(h, b'junk' * 1000)\n    except OSError: pass",
        [0, 3, 4, None],
        "nonsense",
    ),
    "pipes_closed": (f"{REPORTS}os.closerange(3, 1000)\nwhile True: pass", [0, 3, 4, None], "nonsense"),
    "forged_end": (
        f"{REPORTS}import json, struct\ntext = json.dumps({{'number': 99, 'status': 'ok', 'output': 5}}).encode()\n"
        "for h in handles:\n    try: os.write(h, struct.pack('>II', len(text), 0) + text)\n    except OSError: pass",
        FULL,
        None,
    ),
    "half_a_surrogate": ("# \ud800", FULL, None),
    "pipe_among_evidence": (f"{EVIDENCE}os.mkfifo(p + '/x.json')", FULL, "not ours"),
    "folder_among_evidence": (f"{EVIDENCE}os.mkdir(p + '/x.json')", FULL, "not ours"),
    "evidence_is_a_link": (f"{EVIDENCE}shutil.rmtree(p); os.symlink('/', p)", FULL, "removed or replaced"),
    "evidence_is_gone": (f"{EVIDENCE}shutil.rmtree(p)", FULL, "removed or replaced"),
    "evidence_flood": (
        f"{EVIDENCE}for i in range(3000): open(f'{{p}}/{{i:04}}.json', 'w').close()",
        FULL,
        "far too much",
    ),
    "nested_folders": (
        "import os\nos.chdir(os.environ['TMPDIR'])\nfor i in range(1200):\n    os.mkdir('d'); os.chdir('d')",
        FULL,
        None,
    ),
    "locked_folders": (
        "import os\nos.chdir('..'); os.mkdir('d'); open('d/f', 'w').close(); os.chmod('d', 0)",
        FULL,
        None,
    ),
    "work_folder_is_gone": (
        "import os, shutil, signal\nshutil.rmtree(os.getcwd())\nos.kill(os.getpid(), signal.SIGKILL)",
        [0, 3, 4, None],
        "ended while cell q1",
    ),
    "memory": ("x = []\nwhile True: x.append(bytearray(64 * 2**20))", FULL, None),
    "deaf_to_interrupts": (
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
        [0, 3, 4, None],
        "time",
    ),
}


# The same for a Jupyter kernel, which runs cells where no warm process can be had: messages that make no sense.
AGAINST_A_KERNEL = {
    "incomplete_message": (f"{SEND}send('execute_result', {{}})", FULL, "makes no sense"),
    "wrong_types": (
        f"{SEND}send('stream', {{'name': 'evil', 'text': 5}})\n"
        "send('display_data', {'data': {'text/plain': {'a': 1}, 'image/png': '\"><script>'}, 'metadata': {'x': 1}})\n"
        "send('error', {'ename': 5, 'evalue': None, 'traceback': 'abc'})\nsend('status', {})\nsend('no kind of ours', 5)",
        FULL,
        "makes no sense",
    ),
    "widgets": (
        f"{SEND}send('comm_open', {{'comm_id': 'x', 'target_name': 'jupyter.widget', 'data': {{}}}})",
        FULL,
        None,
    ),
    "other_signature": (f"{SEND}k.session.key = b'other'\nprint(1)", [0, 3, 4, None], "nonsense"),
    "no_message_at_all": (f"{SEND}k.iopub_socket.send_multipart([b'junk'])", [0, 3, 4, None], "nonsense"),
}


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch):
    """No warm process: cells run in a kernel that is started for them."""

    def refuse(*_arguments, **_more):
        raise NotWarm("a test wants it cold")

    monkeypatch.setattr(execute, "borrowed", refuse)


@pytest.mark.parametrize("name", AGAINST_A_KERNEL)
def test_a_kernel_that_talks_nonsense_costs_its_own_question(name: str, tmp_path: Path, cold):
    test_it_costs_no_more_than_its_own_question(name, tmp_path, AGAINST_A_KERNEL)


@pytest.mark.parametrize("name", TURNED_AGAINST_US)
def test_it_costs_no_more_than_its_own_question(name: str, tmp_path: Path, table=TURNED_AGAINST_US):
    code, expected, words = table[name]
    limits = Limits(cell_seconds=3, interrupt_seconds=1, memory_bytes=2 * 2**30)
    graded = grade_tiny(tmp_path, tiny(q1=f"{SQUARE}\n{code}"), limits=limits, keep=tmp_path / "kept")
    assert graded.result["state"] == "graded"
    assert scores(graded) == expected, notes(graded)
    assert words is None or words in notes(graded)
    assert not [p for p in (tmp_path / "kept").rglob("*") if p.is_symlink() or not (p.is_dir() or p.is_file())]


def test_nothing_is_left_in_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    place = Path("/tmp", f"pt2e-test-{os.getpid()}")  # short, because sockets lie in it
    place.mkdir()
    try:
        monkeypatch.setattr("tempfile.tempdir", str(place))
        code = "import os\nfor i in range(1200):\n    os.mkdir('d'); os.chdir('d')\nos.chmod('.', 0)"
        assert scores(grade_tiny(tmp_path, tiny(q1=f"{SQUARE}\n{code}"))) == FULL
        warm.close_all()
        assert not list(place.iterdir())
    finally:
        shutil.rmtree(place)


def test_the_submission_is_only_read(tmp_path: Path):
    handed_in = put(tmp_path / "in", tiny())
    before = {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in handed_in.iterdir()}
    grade(tiny_source(tmp_path), handed_in)
    assert {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in handed_in.iterdir()} == before


# ---------------------------------------------------------------- what the sandbox keeps apart

LOOK_AROUND = """
import json, os, socket
from pathlib import Path
def tried(work, *arguments):
    try:
        return str(work(*arguments))[:200]
    except BaseException as error:
        return type(error).__name__
def connect():
    socket.create_connection(("127.0.0.1", PORT), timeout=2).sendall(b"hello")
    return "connected"
def pids():
    return [p for p in os.listdir("/proc") if p.isdigit()]
found = {path: tried(lambda p=path: os.listdir(p) if os.path.isdir(p) else open(p, "rb").read()) for path in READ}
found["connect"] = tried(connect)
found["write"] = [p for p in WRITE if tried(lambda p=p: Path(p, "left-behind").write_text("x")) == "1"]
found["environ"] = tried(lambda: sorted(os.environ))
found["secret"] = tried(lambda: [v for v in os.environ.values() if "grader's own" in v])
found["uid"] = tried(os.getuid)
found["pids"] = tried(lambda: len(pids()))
print("FOUND" + json.dumps(found))
"""


@needs_sandbox
def test_a_kernel_sees_neither_course_nor_machine_nor_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_TOKEN", "the grader's own")
    source = tiny_source(tmp_path)
    seed = tmp_path / "data" / "class-seed"
    other = put(tmp_path / "submitted" / "s02" / "a1", tiny())
    for path in (seed, tmp_path / "gradebook.db"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("secret")
    read = [source, source / "p1.ipynb", tmp_path, tmp_path / "gradebook.db", other, seed, "/etc/shadow", "/etc/passwd"]
    read += [ROOT / "source", Path(__file__), Path(pipeline.__file__), Path.home() / ".ssh", "/proc/1/environ", "/var"]
    write = [
        tmp_path,
        source,
        "/",
        "/usr",
        "/kit",
        "/kit/common",
        Path(json.__file__).parent,
        "/etc",
        "/proc/sys/kernel",
    ]
    arrived: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        stop = threading.Event()

        def listen() -> None:
            while not stop.is_set():
                try:
                    with listener.accept()[0] as connection:
                        arrived.append(connection.recv(100))
                except TimeoutError:
                    continue

        thread = threading.Thread(target=listen)
        thread.start()
        names = (
            f"PORT = {listener.getsockname()[1]}\nREAD = {list(map(str, read))!r}\nWRITE = {list(map(str, write))!r}\n"
        )
        submitted = tiny()
        submitted.cells.append(new_code_cell(names + LOOK_AROUND))
        graded = grade(source, put(tmp_path / "submitted" / "s01" / "a1", submitted))
        stop.set()
        thread.join()

    assert scores(graded) == FULL
    text = graded.notebooks["p1"].cells[-1].outputs[0].text
    found = json.loads(text.partition("FOUND")[2])
    seen = {str(p): found[str(p)] for p in read if found[str(p)] not in ("FileNotFoundError", "PermissionError")}
    seen.pop("/proc/1/environ", None)  # that of the sandbox's own first process, at most
    assert not seen
    assert found["write"] == [] and not list(tmp_path.rglob("left-behind"))
    assert found["connect"] not in ("connected",) and not arrived
    assert found["secret"] == "[]" and "MY_TOKEN" not in found["environ"]
    assert found["uid"] == "65534" and int(found["pids"]) < 10


@needs_sandbox
def test_no_process_outlives_grading(tmp_path: Path):
    marker = f"left-by-a-student-{os.getpid()}-{tmp_path.name}"
    code = f"""
import os, subprocess, sys
stay = "import signal, time, sys\\nfor n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\\ntime.sleep(600)"
subprocess.Popen([sys.executable, "-c", stay, {marker!r}], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    os.execv(sys.executable, [sys.executable, "-c", stay, {marker!r}])
"""
    assert scores(grade_tiny(tmp_path, tiny(q1=SQUARE + code))) == FULL
    commands = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            try:
                commands.append((process / "cmdline").read_bytes())
            except OSError:
                continue
    assert not [c for c in commands if marker.encode() in c]


@needs_sandbox
def test_too_many_processes_are_not_started(tmp_path: Path):
    code = "\nimport subprocess, time\nfor i in range(300): subprocess.Popen(['sleep', '60'])\ntime.sleep(60)"
    graded = grade_tiny(tmp_path, tiny(q1=SQUARE + code), limits=Limits(cell_seconds=30))
    assert scores(graded) == FULL  # the system has refused, so the cell ended with an error behind the answer
    assert "BlockingIOError" in str(graded.notebooks["p1"].cells)


@needs_sandbox
def test_too_many_processes_end_the_kernel(tmp_path: Path, cold):
    code = "\nimport subprocess, time\nfor i in range(300): subprocess.Popen(['sleep', '60'])\ntime.sleep(60)"
    graded = grade_tiny(tmp_path, tiny(q1=SQUARE + code), limits=Limits(cell_seconds=30))
    if os.geteuid() == 0:
        assert scores(graded) == [0, 3, 4, None] and "processes; it was ended" in notes(graded, "limit")
    else:  # the system's limit has refused to start them
        assert scores(graded)[1:] == FULL[1:]


def test_startup_files_do_not_reach_the_next_submission(tmp_path: Path):
    leave = """
import os
from pathlib import Path
for base in {os.environ["IPYTHONDIR"], str(Path.home() / ".ipython"), str(Path.home() / "ipython")}:
    folder = Path(base, "profile_default", "startup")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "00.py").write_text("planted = True")
for name in ("usercustomize.py", "sitecustomize.py", "ipython_config.py"):
    for folder in (Path.home(), Path.cwd()):
        (folder / name).write_text("import builtins; builtins.planted = True")
"""
    source = tiny_source(tmp_path)
    assert scores(grade(source, put(tmp_path / "s01", tiny(q1=SQUARE + leave)))) == FULL
    submitted = tiny()
    submitted.cells.append(new_code_cell("planted"))
    graded = grade(source, put(tmp_path / "s02", submitted))
    assert [o.ename for o in graded.notebooks["p1"].cells[-1].outputs] == ["NameError"]


def test_without_a_sandbox_nothing_is_run_unless_somebody_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for module in (pipeline, sandbox):
        monkeypatch.setattr(module, "bubblewrap", lambda: None)
    handed_in = put(tmp_path / "in", tiny())
    with pytest.raises(sandbox.NoSandbox, match="--unsafe-no-sandbox"):
        grade(tiny_source(tmp_path), handed_in, unsafe_no_sandbox=False)
    graded = grade(tiny_source(tmp_path), handed_in, unsafe_no_sandbox=True)
    assert scores(graded) == FULL and "without a sandbox" in notes(graded, "environment")


# ---------------------------------------------------------------- limits and where it may run


def test_the_rest_is_not_run_when_the_time_of_a_submission_is_over(tmp_path: Path):
    limits = Limits(cell_seconds=6, submission_seconds=0.01)
    graded = grade_tiny(tmp_path, tiny(), limits=limits)
    assert scores(graded) == [0, 0, 0, None] and "submission took more than" in notes(graded, "limit")
    assert entry(graded, "q3t")["status"] == "missing"


def test_a_test_is_not_among_the_inputs_that_an_answer_can_print(tmp_path: Path):
    graded = grade_tiny(tmp_path, q1="def square(x):\n    print(In[-1])\n    return x * x")
    outputs = str(cell(graded.notebooks["p1"], "q1t").outputs)
    assert scores(graded) == FULL and "def square" in outputs and "SECRET-H1" not in outputs


def test_an_honest_print_of_the_hidden_test_changes_nothing(tmp_path: Path, cold):
    graded = grade_tiny(tmp_path, q1="def square(x):\n    print(In[-1])\n    return x * x")
    assert scores(graded) == FULL and "SECRET-H1" in str(cell(graded.notebooks["p1"], "q1t").outputs)


def test_grading_works_inside_an_event_loop_and_its_result_travels(tmp_path: Path):
    """formgrader calls from its server's loop; an executor of processes pickles the result."""

    async def inside() -> pipeline.Graded:
        return grade_tiny(tmp_path)

    graded = asyncio.run(inside())
    again = pickle.loads(pickle.dumps(graded))
    assert scores(graded) == FULL and again.result == graded.result and again.notebooks == graded.notebooks


# ---------------------------------------------------------------- several notebooks


def test_one_bad_notebook_never_costs_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    source = tiny_source(tmp_path)
    for name in ("p2", "p3", "p4"):
        put(source, (source / "p1.ipynb").read_bytes(), f"{name}.ipynb")
    handed_in = put(tmp_path / "in", tiny())
    put(handed_in, b"{", "p2.ipynb")
    put(handed_in, tiny(q2="def mean(xs): return 0"), "p4.ipynb")

    real, calls = notebook.rebuild, []

    def full_disk(*arguments, **more):
        calls.append(1)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        return real(*arguments, **more)

    monkeypatch.setattr(notebook, "rebuild", full_disk)
    put(handed_in, tiny(), "p3.ipynb")
    graded = grade(source, handed_in)
    states = {n["name"]: n["state"] for n in graded.result["notebooks"]}
    assert states == {"p1": "graded", "p2": "unreadable", "p3": "failed", "p4": "graded"}
    assert graded.result["state"] == "failed" and graded.result["score"] == 9 + 6 and graded.result["max_score"] == 36
    assert "No space left" in notes(graded) and set(graded.notebooks) == {"p1", "p4"}


def test_a_faulty_source_is_an_error_and_no_score(tmp_path: Path):
    handed_in = put(tmp_path / "in", tiny())
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no instructor notebook"):
        grade(tmp_path / "empty", handed_in)
    with pytest.raises(ValueError, match=r"p1\.ipynb cannot be read"):
        grade(put(tmp_path / "damaged", b"{"), handed_in)


def test_limits_of_a_test_are_told(tmp_path: Path):
    graded = grade_tiny(tmp_path, tiny(q2="def mean(xs):\n    while True: pass"), limits=QUICK)
    assert entry(graded, "q2t")["status"] == "timeout" and entry(graded, "q2t")["findings"][0]["symptom"]


@pytest.mark.parametrize("code", ["sys.stdout = sys.stderr = None", "del sys.stdout", "sys.stdout = 5"])
@pytest.mark.parametrize("engine", ["warm", "cold"])
def test_a_kernel_without_its_streams_goes_on(code: str, engine: str, tmp_path: Path, request: pytest.FixtureRequest):
    if engine == "cold":
        request.getfixturevalue("cold")
    graded = grade_tiny(tmp_path, q1=f"import sys\n{code}\n{SQUARE}")
    assert scores(graded) == FULL and not notes(graded, "limit")


def test_an_interpreter_that_was_named_with_dots_works_in_the_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    warm.close_all()
    here = Path(sys.executable).parent
    monkeypatch.setattr(
        "sys.executable", str(tmp_path / Path(*[".."] * len(tmp_path.parts[1:])) / str(here)[1:] / "python")
    )
    assert scores(grade_tiny(tmp_path)) == FULL


@needs_sandbox
def test_a_course_that_lies_in_tmp_finds_its_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Each run has a /tmp of its own; where Python itself lies in /tmp, it must be there too, and stay as it is."""
    warm.close_all()
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "mark").write_text("x")
    visible = [*sandbox._visible(), *sandbox._seen(tmp_path / "python", Path("/tmp/a course/python"))]
    monkeypatch.setattr(sandbox, "_visible", lambda: visible)
    reads = "def square(x):\n    open('/tmp/a course/python/mark').read()\n    return x * x"
    writes = "import os\ntry:\n    open('/tmp/a course/python/mark', 'w')\nexcept OSError:\n    open('/tmp/own', 'w')\n"
    try:
        graded = grade_tiny(tmp_path, q1=writes + reads)
        assert scores(graded) == FULL and not graded.result["notes"]
        assert (tmp_path / "python" / "mark").read_text() == "x"
    finally:
        warm.close_all()
