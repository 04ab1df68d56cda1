"""Attacks on the machine that grades: processes, memory, disk, files, time, and what stays for the next submission."""

from dataclasses import replace

from attack_kit import SHORT, SQUARE, WRONG, Attack

from pt2e_kit.settings import Limits

FULL = (2, 3, 4, None)
SMALL = Limits(
    cell_seconds=4, interrupt_seconds=1, memory_bytes=2**30, processes=40, file_bytes=4 * 2**20, output_bytes=50_000
)

ROOMY = replace(SMALL, cell_seconds=60, memory_bytes=2**29, disk_bytes=2**27)
"""Time enough: what is to stop these is not the clock."""


def _first(code: str) -> dict[str, str]:
    """A right answer to the first question, and the attack behind it in the same cell."""
    return {"q1": f"{SQUARE}\n{code}"}


def _in_test(code: str) -> dict[str, str]:
    """The attack happens when the test calls the answer."""
    return {"q1": "def square(x):\n" + "\n".join("    " + line for line in code.split("\n"))}


PROCESSES = "it starts, ends or leaves processes"
RESOURCES = "it takes memory, disk, files or processes"

ATTACKS = [
    # ---------------------------------------------------------------- processes
    Attack(
        "many_processes",
        "start processes without end (300 at most, here)",
        _first(
            "import os, time\nfor i in range(300):\n    if os.fork() == 0:\n        time.sleep(60)\n        os._exit(0)\ntime.sleep(60)"
        ),
        scores=FULL,
        earns="less",
        told=("limit", "process|time"),
        limits=SMALL,
        unsafe=RESOURCES,
    ),
    Attack(
        "kills_its_parent",
        "kill the process that started it",
        _first("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(os.getppid(), signal.SIGSTOP)"),
        scores=FULL,
        earns="less",
        lasting=True,
        limits=SHORT,
        unsafe=PROCESSES,
    ),
    Attack(
        "kills_everybody",
        "kill every process that it sees, the whole group, and the grader by its number",
        _first(
            "import os, signal\nfor pid in [@GRADER@, *map(int, filter(str.isdigit, os.listdir('/proc')))]:\n"
            "    if pid != os.getpid():\n        try:\n            os.kill(pid, signal.SIGKILL)\n        except OSError:\n            pass\n"
            "os.kill(-1, signal.SIGKILL)"
        ),
        scores=FULL,
        earns="less",
        lasting=True,
        limits=SHORT,
        unsafe=PROCESSES,
    ),
    Attack(
        "attaches_to_its_parent",
        "attach to the warm process with ptrace and write into its memory",
        _first(
            "import ctypes, os\nlibc = ctypes.CDLL(None)\nfor pid in map(int, filter(str.isdigit, os.listdir('/proc'))):\n"
            "    if pid != os.getpid():\n        libc.ptrace(16, pid, 0, 0)\n        libc.ptrace(17, pid, 0, 0)\n"
            "        try:\n            with open(f'/proc/{pid}/mem', 'r+b') as memory:\n                memory.seek(0x10000)\n"
            "                memory.write(b'x')\n        except (OSError, ValueError):\n            pass"
        ),
        scores=FULL,
        earns="less",
        lasting=True,
        limits=SHORT,
        unsafe=PROCESSES,
    ),
    Attack(
        "daemon",
        "leave a process that has forked twice, has a session of its own and ignores signals",
        _first(
            "import os, sys\nstay = 'import signal, time, sys\\nfor n in (1, 2, 3, 15): signal.signal(n, signal.SIG_IGN)\\ntime.sleep(300)'\n"
            "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.chdir('/')\n        os.execv(sys.executable, [sys.executable, '-c', stay, '@MARK@'])\n"
            "    os._exit(0)\nimport subprocess\n"
            "subprocess.Popen(['nohup', 'sleep', '300'], start_new_session=True, env=os.environ | {'LEFT': '@MARK@'})"
        ),
        scores=FULL,
        lasting=True,
        unsafe=PROCESSES,
    ),
    Attack(
        "acts_after_its_end",
        "let atexit handlers, threads and destructors act when its process ends, and keep it from ending",
        _first(
            "import atexit, threading, time\ndef stay():\n    open('/tmp/@MARK@', 'w').write('x')\n    time.sleep(300)\n"
            "atexit.register(stay)\nclass Stay:\n    __del__ = lambda self: stay()\nkept = Stay()\n"
            "threading.Thread(target=time.sleep, args=(300,)).start()"
        ),
        scores=FULL,
        lasting=True,
        limits=SHORT,
        unsafe=PROCESSES,
    ),
    Attack(
        "replaces_its_process",
        "replace its process by a shell that waits for ever",
        _first("import os\nos.execv('/bin/sh', ['sh', '-c', 'sleep 300', '@MARK@'])"),
        limits=SHORT,
        unsafe=PROCESSES,
    ),
    # ---------------------------------------------------------------- memory, disk, files
    Attack(
        "memory",
        "take all memory, and all memory that is shared",
        _in_test("kept = []\nwhile True:\n    kept.append(bytearray(64 * 2**20))"),
        limits=SMALL,
        unsafe=RESOURCES,
    ),
    Attack(
        "shared_memory",
        "take memory by shared mappings and memory files, which limits on data do not count (768 MiB, here)",
        _first(
            "import mmap, os\nkept = []\nfor i in range(12):\n    m = mmap.mmap(-1, 64 * 2**20)\n    m.write(bytes(64 * 2**20))\n"
            "    kept.append(m)\nimport time\ntime.sleep(1)\nprint('TOOK-' 'IT-ALL')\nkept.clear()"
        ),
        scores=FULL,
        earns="less",
        limits=ROOMY,
        unseen=("TOOK-IT-ALL",),
        unsafe=RESOURCES,
    ),
    Attack(
        "one_large_file",
        "write one file that fills the disk",
        _first(
            "with open('large', 'wb') as f:\n    for i in range(64):\n        f.write(bytes(2**20))\n        f.flush()\nprint('WROTE-' 'IT-ALL')"
        ),
        scores=FULL,
        earns="less",
        limits=ROOMY,
        unseen=("WROTE-IT-ALL",),
        unsafe=RESOURCES,
    ),
    Attack(
        "many_large_files",
        "fill the disk with files, each as large as is allowed (384 MiB in all, here)",
        _first(
            "import os\nfor i in range(128):\n    with open(f'large{i}', 'wb') as f:\n        f.write(bytes(3 * 2**20))\n"
            "print('WROTE-' 'IT-ALL')\nfor i in range(128):\n    os.remove(f'large{i}')"
        ),
        scores=FULL,
        earns="less",
        limits=ROOMY,
        unseen=("WROTE-IT-ALL",),
        unsafe=RESOURCES,
    ),
    Attack(
        "temporary_memory_files",
        "fill memory by files in /tmp and /dev/shm (384 MiB in each, here)",
        _first(
            "import os\nfor place in ('/tmp', '/dev/shm'):\n    try:\n        for i in range(128):\n"
            "            with open(f'{place}/@MARK@{i}', 'wb') as f:\n                f.write(bytes(3 * 2**20))\n"
            "        print('WROTE-' 'IT-ALL')\n    except OSError:\n        pass\n"
            "    for i in range(128):\n        try:\n            os.remove(f'{place}/@MARK@{i}')\n        except OSError:\n            pass"
        ),
        scores=FULL,
        earns="less",
        limits=ROOMY,
        unseen=("WROTE-IT-ALL",),
        unsafe=RESOURCES,
    ),
    Attack(
        "many_small_files",
        "leave 20 000 files and 2000 nested folders in every place that it can write to",
        _first(
            "import os\nfor i in range(20000):\n    open(f'f{i}', 'w').close()\nos.chdir(os.environ['HOME'])\n"
            "for i in range(2000):\n    os.mkdir('d'); os.chdir('d')\nos.chmod('.', 0)"
        ),
        scores=FULL,
        lasting=True,
        unsafe=RESOURCES,
    ),
    Attack(
        "open_files",
        "open files until none is left, and keep them",
        _first("kept = []\ntry:\n    while True:\n        kept.append(open('/dev/null'))\nexcept OSError:\n    pass"),
        scores=FULL,
        earns="less",
        limits=SMALL,
        unsafe=RESOURCES,
    ),
    Attack(
        "endless_output",
        "print without end",
        _first("while True:\n    print('x' * 1000)"),
        scores=FULL,
        told=("limit", "cut off", "time"),
        limits=SMALL,
        unsafe=RESOURCES,
    ),
    Attack(
        "held_back_output",
        "hold back a text of 100 million lines, and print it when the test runs",
        {"q1": "kept = '\\n' * 10**8\ndef square(x):\n    print(kept)\n    return x * x"},
        scores=FULL,
        earns="less",
        limits=SMALL,
        unsafe=RESOURCES,
    ),
    Attack(
        "many_outputs",
        "display 20 000 small outputs, and tracebacks and results of many megabytes",
        _first("for i in range(20000):\n    display(i)\nraise Exception('x' * 10**7)"),
        scores=FULL,
        limits=SMALL,
    ),
    # ---------------------------------------------------------------- time
    Attack(
        "deaf_loop",
        "loop and swallow every interrupt",
        _first(
            "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nsignal.pthread_sigmask(0, range(1, 32))\n"
            "while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass"
        ),
        limits=SHORT,
    ),
    Attack(
        "loop_without_bytecode",
        "compute for hours in one call that no interrupt reaches",
        _in_test("return 7 ** 10**9"),
        limits=SHORT,
    ),
    Attack(
        "waits_for_input",
        "wait for what nobody types: input, stdin, the debugger",
        {
            "q1": "input('name? ')\n" + SQUARE,
            "q2": "import sys\nsys.stdin.read()\ndef mean(xs):\n    import pdb; pdb.set_trace()\n    return 0",
            "q3": "def score_words(ws):\n    breakpoint()\n    import getpass; getpass.getpass()\n    return []",
        },
        scores=(0, 0, 0, None),
        limits=SHORT,
    ),
    Attack(
        "crash_in_c",
        "crash the interpreter: recursion without limit, null pointers",
        {
            "q1": "import sys\nsys.setrecursionlimit(10**9)\ndef square(x):\n    return square(x)",
            "q2": "import ctypes\ndef mean(xs):\n    ctypes.string_at(0)",
        },
        scores=(0, 0, 4, None),
        limits=SHORT,
    ),
    Attack(
        "exceptions_that_are_not_about_the_answer",
        "raise MemoryError, SystemError and RecursionError, so that the grader takes the fault for its own",
        {
            "q1": "def square(x):\n    raise MemoryError",
            "q2": "def mean(xs):\n    raise SystemError('out of disk')",
            "q3": "def score_words(ws):\n    raise RecursionError",
        },
        scores=(0, 0, 0, None),
    ),
    Attack(
        "clock",
        "change what time.monotonic and time.time say",
        WRONG | {"q1": WRONG["q1"] + "\nimport time\ntime.monotonic = time.time = time.perf_counter = lambda: -1e18"},
        scores=(0, 0, 0, None),
        limits=SHORT,
    ),
    # ---------------------------------------------------------------- files, and the next submission
    Attack(
        "working_folder_replaced",
        "put links to the course in the place of its folders, and end its process",
        _first(
            "import os, shutil, signal\nhere = os.getcwd()\nos.chdir('/')\nfor place in (here, os.environ['HOME'], os.environ['TMPDIR']):\n"
            "    try:\n        shutil.rmtree(place)\n        os.symlink('@SOURCE@', place)\n    except OSError:\n        pass\n"
            "os.kill(os.getpid(), signal.SIGKILL)"
        ),
        lasting=True,
        limits=SHORT,
        unsafe="it removes folders",
    ),
    Attack(
        "working_folder_races",
        "swap its folder for a link to the course again and again while the grader cleans up",
        _first(
            'import os, subprocess, sys\nrace = \'import os\\nwhile True:\\n try:\\n  os.rename("work", "w2"); os.symlink("@SOURCE@", "work")\\n'
            '  os.remove("work"); os.rename("w2", "work")\\n except OSError: pass\'\n'
            "subprocess.Popen([sys.executable, '-c', race, '@MARK@'], cwd='..', start_new_session=True)"
        ),
        scores=FULL,
        earns="less",
        lasting=True,
        limits=SHORT,
        unsafe=PROCESSES,
    ),
    Attack(
        "leaves_files_for_the_next",
        "leave start-up files, configurations and modules for the next submission",
        _first(
            "import os, site, sys\nfrom pathlib import Path\nplant = 'import builtins; builtins.abs = lambda x: 0; builtins.planted = \"@MARK@\"'\n"
            "home = Path.home()\nplaces = [home / '.ipython/profile_default/startup/00.py', home / 'ipython/profile_default/startup/00.py',\n"
            "  home / '.jupyter/jupyter_config.py', home / '.pythonrc.py', Path('/tmp/@MARK@.py'), Path('/dev/shm/@MARK@'), Path('/var/tmp/@MARK@')]\n"
            "folders = [Path.cwd(), Path.cwd().parent, *map(Path, sys.path), Path(site.getusersitepackages())]\n"
            "places += [f / n for f in folders for n in ('sitecustomize.py', 'usercustomize.py', 'x@MARK@.pth', 'common.py')]\n"
            "for place in places:\n    try:\n        place.parent.mkdir(parents=True, exist_ok=True)\n        place.write_text(plant)\n    except OSError:\n        pass\n"
            "os.environ['PYTHONSTARTUP'] = '/tmp/@MARK@.py'\nos.environ['PYTHONPATH'] = '/tmp'"
        ),
        scores=(2, 3, 4, None),
        earns="less",
        lasting=True,
        unsafe="it writes start-up files",
    ),
]
