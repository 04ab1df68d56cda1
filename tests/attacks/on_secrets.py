"""Attacks on what a submission must not read or reach: sources, other submissions, seeds, environment, network."""

from attack_kit import SQUARE, WRONG, Attack

TRIED = """
def tried(work, *arguments):
    try:
        return str(work(*arguments))
    except BaseException as error:
        return type(error).__name__
"""


def _own(code: str) -> tuple[str, ...]:
    return (TRIED + code,)


FULL = (2, 3, 4, None)
ATTACKS = [
    Attack(
        "reads_the_source",
        "read the instructor's notebook and run its solutions",
        WRONG
        | {
            "q1": "import glob, json, os, re\nplaces = ['@SOURCE@', '../../../source/a1', '..', '/']\n"
            "for place in places:\n    for path in glob.glob(place + '/*.ipynb'):\n"
            "        for cell in json.load(open(path))['cells']:\n            exec(''.join(cell['source']))"
        },
        scores=(0, 0, 0, None),
        unseen=("BEGIN SOLUTION",),
    ),
    Attack(
        "reads_other_submissions",
        "read other students' answers, the class seed and the gradebook, and print them",
        cells=_own(
            "import os\nfor place in ('@OTHER@', '@SECRET@', '@SOURCE@', '@OTHER@/../..', '/work', '/home', '/root', '/var'):\n"
            "    print(tried(os.listdir, place), tried(lambda: open(place + '/p1.ipynb').read()), tried(lambda: open(place).read()))"
        ),
        scores=FULL,
    ),
    Attack(
        "reads_through_descriptors",
        "read open files of the grader through /proc and inherited descriptors",
        cells=_own(
            "import os\nfor pid in os.listdir('/proc'):\n    if pid.isdigit():\n"
            "        print(pid, tried(lambda: open(f'/proc/{pid}/environ').read()), tried(lambda: open(f'/proc/{pid}/cmdline').read()))\n"
            "        print(tried(lambda: os.listdir(f'/proc/{pid}/root@SOURCE@')), tried(lambda: open(f'/proc/{pid}/root@SECRET@').read()))\n"
            "        print(tried(lambda: os.listdir(f'/proc/{pid}/cwd/../../..')))\n"
            "for handle in range(3, 64):\n    place = tried(os.readlink, f'/proc/self/fd/{handle}')\n"
            "    if place.startswith('/') and not place.startswith(('/dev', '/proc', '/tmp/pt2e-', '/memfd')):\n"
            "        print('OPEN-FILE', place)"
        ),
        scores=FULL,
        unseen=("p1.ipynb'", "OPEN-FILE /work"),
    ),
    Attack(
        "reads_the_graders_environment",
        "print every variable of the environment, its own and that of its parents",
        cells=_own(
            "import os, subprocess\nprint(dict(os.environ))\nprint(tried(lambda: open('/proc/1/environ').read()))\n"
            "print(tried(lambda: open(f'/proc/{os.getppid()}/environ').read()))\n"
            "print(tried(lambda: subprocess.run(['env'], capture_output=True).stdout))"
        ),
        scores=FULL,
    ),
    Attack(
        "connects_to_this_machine",
        "connect to a port and to an abstract socket of this machine",
        cells=_own(
            "import socket\ndef tcp(host):\n    socket.create_connection((host, @PORT@), timeout=2).sendall(b'x')\n    return 'REACHED'\n"
            "def unix():\n    s = socket.socket(socket.AF_UNIX)\n    s.connect('\\0@SOCKET@')\n    s.sendall(b'x')\n    return 'REACHED'\n"
            "print(tried(tcp, '127.0.0.1'), tried(tcp, '::1'), tried(tcp, 'localhost'), tried(unix))"
        ),
        scores=FULL,
        unseen=("REACHED",),
    ),
    Attack(
        "connects_to_the_network",
        "send packets and ask for names, over any interface",
        cells=_own(
            "import socket\nprint([name for _, name in socket.if_nameindex() if name != 'lo' and 'INTERFACE'])\n"
            "def udp():\n    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n    s.connect(('192.0.2.1', 53))\n"
            "    s.send(b'x')\n    return 'REACHED'\n"
            "print(tried(udp), tried(lambda: socket.gethostbyname('example.com') and 'REACHED'))\n"
            "print([n for _, n in socket.if_nameindex() if n not in ('lo', 'tunl0', 'sit0')] and 'REACHED' or 'none')"
        ),
        scores=FULL,
        unseen=("REACHED",),
    ),
    Attack(
        "raw_sockets_and_namespaces",
        "get more rights: setuid, mount, new namespaces, raw sockets, ptrace, kernel keys, device files",
        cells=_own(
            "import ctypes, os, socket\nlibc = ctypes.CDLL(None, use_errno=True)\n"
            "print('SETUID' if tried(os.setuid, 0) == 'None' else 'refused')\n"
            "print('MOUNT' if libc.mount(b'none', b'/mnt', b'tmpfs', 0, None) == 0 else 'refused')\n"
            "print('CHROOT' if tried(os.chroot, '/tmp') == 'None' else 'refused')\n"
            "print('MKNOD' if tried(os.mknod, 'device', 0o60600, os.makedev(8, 0)) == 'None' else 'refused')\n"
            "print(tried(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW) and 'RAWSOCKET'))\n"
            "print('PTRACE' if libc.ptrace(16, os.getppid(), 0, 0) == 0 and os.getppid() else 'refused')"
        ),
        scores=FULL,
        unseen=("SETUID", "MOUNT", "CHROOT", "MKNOD", "RAWSOCKET"),
        unsafe="it asks the system for more rights",
    ),
    Attack(
        "writes_to_the_course",
        "write into source, other submissions, the kit, the library and the system",
        {"q1": SQUARE},
        cells=_own(
            "import json, os\nfor place in ('@SOURCE@', '@OTHER@', '@SECRET@', '/kit/common', os.path.dirname(json.__file__), '/etc', '/'):\n"
            "    if tried(lambda: open(os.path.join(place, '@MARK@'), 'w').write('x')) == '1':\n        print('WROTE', place)\n"
            "    tried(lambda: os.remove(place + '/p1.ipynb'))\n    tried(lambda: open(place, 'w').write('x'))"
        ),
        scores=FULL,
        unseen=("WROTE",),
        lasting=True,
        unsafe="it writes into the library and the system",
    ),
]
