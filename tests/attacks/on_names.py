"""Attacks on plain tests: they change the names and modules that tests use, or act while a test runs."""

from attack_kit import SHORT, WRONG, Attack


def _all(code: str) -> dict[str, str]:
    """Wrong answers, and the attack in the first of them."""
    return WRONG | {"q1": f"{WRONG['q1']}\n{code}"}


ATTACKS = [
    # ---------------------------------------------------------------- what the tests use
    Attack(
        "patched_abs",
        "make every difference 0 with a patched builtins.abs",
        {"q2": "def mean(xs):\n    return 0\nimport builtins\nbuiltins.abs = lambda x: 0"},
        scores=(2, 0, 4, None),
        earns="noted",
    ),
    Attack(
        "shadowed_abs",
        "define a function abs of its own in the notebook",
        {"q2": "def mean(xs):\n    return 0\ndef abs(x):\n    return 0"},
        scores=(2, 0, 4, None),
        earns="noted",
    ),
    Attack(
        "shadowed_int",
        "define an int of its own that is always 1, so that the partial score is the maximum",
        {"q3": "def score_words(ws):\n    return []\nint = lambda value: 1"},
        scores=(2, 3, 0, None),
        earns="noted",
    ),
    Attack(
        "patched_import",
        "hand out a reference of its own through builtins.__import__",
        {
            "q2": "def mean(xs):\n    return 0\nimport builtins, types\nreal = builtins.__import__\n"
            "def handed(name, *a, **k):\n    if name == 'common':\n"
            "        return types.SimpleNamespace(ref_mean=lambda xs: 0)\n    return real(name, *a, **k)\n"
            "builtins.__import__ = handed"
        },
        scores=(2, 0, 4, None),
        earns="noted",
    ),
    Attack(
        "patched_assertion_error",
        "replace AssertionError, isinstance, all and print in builtins",
        _all(
            "import builtins\nclass Nothing(Exception):\n    def __new__(cls, *a):\n        return None\n"
            "builtins.AssertionError = Nothing\nbuiltins.isinstance = lambda *a: True\n"
            "builtins.all = builtins.any = lambda *a: True\nbuiltins.print = lambda *a, **k: None"
        ),
        limits=SHORT,
        scores=(0, 0, 0, None),
        earns="noted",
    ),
    Attack(
        "patched_helper_module",
        "replace the course's reference in the module that the test imports",
        {"q2": "def mean(xs):\n    return 0\nimport common\ncommon.ref_mean = lambda xs: 0"},
        scores=(2, 0, 4, None),
        earns="noted",
    ),
    Attack(
        "replaced_helper_module",
        "put a module of its own into sys.modules",
        {
            "q2": "def mean(xs):\n    return 0\nimport sys, types\nsys.modules['common'] = types.ModuleType('common')\n"
            "sys.modules['common'].ref_mean = lambda xs: 0"
        },
        scores=(2, 0, 4, None),
        earns="noted",
    ),
    Attack(
        "rewritten_helper_file",
        "write another common.py into the working folder before the test imports it",
        {"q2": "def mean(xs):\n    return 0\nopen('common.py', 'w').write('def ref_mean(xs): return 0')"},
        scores=(2, 0, 4, None),
        earns="noted",
    ),
    Attack(
        "helper_file_by_another_folder",
        "put a folder with another common.py in front of sys.path",
        {
            "q2": "def mean(xs):\n    return 0\nimport os, sys, tempfile\nfolder = tempfile.mkdtemp()\n"
            "open(os.path.join(folder, 'common.py'), 'w').write('def ref_mean(xs): return 0')\n"
            "sys.path.insert(0, folder)"
        },
        scores=(2, 0, 4, None),
        earns="noted",
    ),
    Attack(
        "user_namespace_that_lies",
        "replace the notebook's names by a dict that returns a right answer only to the test",
        {
            "q2": "def mean(xs):\n    return 0\nclass Names(dict):\n    def __getitem__(self, key):\n"
            "        return (lambda x: 0) if key == 'abs' else dict.__getitem__(self, key)\n"
            "shell = get_ipython()\nshell.user_ns = Names(shell.user_ns)"
        },
        scores=(2, 0, 4, None),
        earns="noted",
    ),
    Attack(
        "common_beside_the_notebook",
        "hand in a folder common/ with a reference of its own",
        {"q2": "def mean(xs):\n    return 0"},
        files={"common/__init__.py": "def ref_mean(xs):\n    return 0\n"},
        scores=(2, 0, 4, None),
    ),
    Attack(
        "site_files_beside_the_notebook",
        "hand in sitecustomize, usercustomize, a .pth file and configurations",
        WRONG,
        files=dict.fromkeys(
            (
                "sitecustomize.py",
                "usercustomize.py",
                "ipython_config.py",
                "jupyter_nbconvert_config.py",
                "nbgrader_config.py",
                "conftest.py",
                "builtins.py",
                "ast.py",
                ".ipython/profile_default/startup/00.py",
            ),
            "import builtins\nbuiltins.abs = lambda x: 0\nbuiltins.planted = '@MARK@'\n",
        )
        | {"x.pth": "import builtins; builtins.abs = lambda x: 0\n"},
        scores=(0, 0, 0, None),
    ),
    # ---------------------------------------------------------------- objects that are what is asked for
    Attack(
        "always_equal",
        "return an object that is equal to everything",
        {"q1": "class Equal:\n    def __eq__(self, other):\n        return True\ndef square(x):\n    return Equal()"},
        earns="noted",
    ),
    Attack(
        "always_equal_by_lambda",
        "do the same with a lambda and setattr",
        {"q1": "Equal = type('Equal', (), {'__eq__': lambda self, other: True})\ndef square(x):\n    return Equal()"},
        earns="noted",
    ),
    Attack(
        "mock_any",
        "return unittest.mock.ANY",
        {"q1": "from unittest.mock import ANY\ndef square(x):\n    return ANY"},
        earns="noted",
    ),
    Attack(
        "always_near",
        "return a float whose difference to anything is 0",
        {
            "q2": "class Near(float):\n    def __sub__(self, other):\n        return 0.0\n"
            "def mean(xs):\n    return Near(1)"
        },
        scores=(2, 0, 4, None),
        earns="noted",
    ),
    # ---------------------------------------------------------------- a test that is watched while it runs
    Attack(
        "reads_the_assert_in_its_frame",
        "read the caller's source and compute what the assert compares with",
        {
            "q1": "import re\ndef square(x):\n    text = In[-1]\n"
            "    return eval(re.search(r'square\\(%s\\) == (\\d+)' % x, text)[1])"
        },
        earns="noted",
    ),
    Attack(
        "profile_function_sets_the_score",
        "set the variable with the score from a profile function while the last line starts",
        {
            "q3": "import sys\ndef score_words(ws):\n    names = globals()\n    def profile(frame, event, arg):\n"
            "        if event == 'call' and frame.f_globals is names and 'got' in names:\n            names['got'] = 4\n"
            "    sys.setprofile(profile)\n    return []"
        },
        scores=(2, 3, 0, None),
        earns="noted",
    ),
    Attack(
        "thread_patches_meanwhile",
        "replace builtins.int from a thread while the test waits for the answer",
        {
            "q3": "import builtins, threading, time\nasked = threading.Event()\ndef patch():\n    asked.wait()\n"
            "    builtins.int = lambda value: 1\nthreading.Thread(target=patch, daemon=True).start()\n"
            "def score_words(ws):\n    asked.set()\n    time.sleep(0.1)\n    return []"
        },
        scores=(2, 3, 0, None),
        earns="noted",
    ),
    Attack(
        "alarm_patches_meanwhile",
        "replace builtins.int from a signal handler while the test waits for the answer",
        {
            "q3": "import builtins, signal, time\ndef patch(*a):\n    builtins.int = lambda value: 1\n"
            "signal.signal(signal.SIGALRM, patch)\n"
            "def score_words(ws):\n    signal.setitimer(signal.ITIMER_REAL, 0.02)\n    time.sleep(0.1)\n    return []"
        },
        scores=(2, 3, 0, None),
        earns="noted",
    ),
    Attack(
        "call_patches_builtins",
        "replace builtins.int when the test calls the answer for the first time",
        {"q3": "import builtins\ndef score_words(ws):\n    builtins.int = lambda value: 1\n    return []"},
        scores=(2, 3, 0, None),
        earns="noted",
    ),
    Attack(
        "destructor_patches_builtins",
        "do so in the __del__ of what the answer returns",
        {
            "q3": "import builtins\nclass Words(list):\n    def __del__(self):\n        builtins.int = lambda value: 1\n"
            "def score_words(ws):\n    return Words()"
        },
        scores=(2, 3, 0, None),
        earns="noted",
    ),
    Attack(
        "frames_are_rewritten",
        "look for the shell's result in the frames above and in gc, and make it a success",
        {
            "q1": "import gc, sys\ndef square(x):\n    frame = sys._getframe()\n    while frame:\n"
            "        for value in list(frame.f_locals.values()):\n"
            "            if type(value).__name__ == 'ExecutionResult':\n"
            "                kind = type(value)\n"
            "                kind.error_in_exec = property(lambda s: None, lambda s, v: None)\n"
            "                kind.success = property(lambda s: True)\n"
            "        frame = frame.f_back\n    return 0"
        },
        earns="noted",
    ),
    Attack(
        "shell_is_patched_by_the_call",
        "patch the shell while the test calls the answer, so that its failure is not told",
        {
            "q1": "def square(x):\n    shell = get_ipython()\n    for name in ('show' + 'traceback', '_show' + 'traceback'):\n"
            "        setattr(shell, name, lambda *a, **k: None)\n"
            "        setattr(type(shell), name, lambda *a, **k: None)\n    return 0"
        },
        earns="noted",
    ),
    Attack(
        "leaves_with_success",
        "end the process with exit code 0 before the assert is reached",
        {"q1": "import os\ndef square(x):\n    os._exit(0)"},
    ),
    Attack(
        "leaves_by_exec",
        "replace the process by one that ends with success",
        {"q1": "import os\ndef square(x):\n    os.execv('/bin/true', ['true'])"},
    ),
    Attack(
        "writes_to_every_pipe",
        "write a success into every open file and end the process",
        {
            "q1": "import json, os\ndef square(x):\n"
            "    told = {'status': 'ok', 'ok': True, 'success': True, 'error': None, 'outputs': [], 'score': 2}\n"
            "    for handle in range(1, 64):\n        try:\n            os.set_blocking(handle, False)\n"
            "            os.write(handle, (json.dumps(told) + '\\n').encode())\n        except OSError:\n            pass\n"
            "    os._exit(0)"
        },
    ),
    Attack(
        "interrupt_instead_of_an_answer",
        "end the test with an exception that is no failed assert (KeyboardInterrupt, SystemExit, GeneratorExit)",
        {
            "q1": "def square(x):\n    raise KeyboardInterrupt",
            "q2": "def mean(xs):\n    raise SystemExit(0)",
            "q3": "def score_words(ws):\n    raise GeneratorExit",
        },
        scores=(0, 0, 0, None),
    ),
    Attack(
        "bdb_quit",
        "end the test with the exceptions that IPython itself passes over",
        {
            "q1": "import bdb\ndef square(x):\n    raise bdb.BdbQuit",
            "q2": "from IPython.core.interactiveshell import *\nfrom IPython.core.error import UsageError\n"
            "def mean(xs):\n    raise UsageError('no')",
            "q3": "import asyncio\ndef score_words(ws):\n    raise asyncio.CancelledError",
        },
        scores=(0, 0, 0, None),
    ),
]
