"""Namespaces, a private file system and limits for one run, by system calls: what bubblewrap does, but after a fork.

bubblewrap starts programs; a process that has loaded torch already can only take these steps itself. They happen
inside of bubblewrap, in which the zygote runs: what is visible, and that it is read-only, was settled there.
"""

import contextlib
import ctypes
import fcntl
import os
import re
import resource
import signal
import socket
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path

SCRATCH = Path("/scratch")
"""The only place that a student's code can write to: memory, of limited size, private to one run."""
NOBODY = 65534
FIRST_UID, UIDS = 61184, 4000
"""What root becomes before a student's code runs: the first of the user numbers that no package hands out, and how
many of them we use where runs are kept apart by nothing else."""

_NEWNS, _NEWUTS, _NEWIPC = 0x00020000, 0x04000000, 0x08000000
_NEWUSER, _NEWPID, _NEWNET = 0x10000000, 0x20000000, 0x40000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 4096, 0x4000, 0x40000
_PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS, _PR_CAPBSET_DROP = 4, 38, 24
_CAPABILITIES_V3 = 0x20080522
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1

_libc = ctypes.CDLL(None, use_errno=True)


def separate() -> None:
    """Leave all namespaces that are shared with other runs. The next process that is forked is process 1 of its own.

    Raises:
        OSError: the system does not allow it.
    """
    if os.getuid() != 0:
        _own_user_namespace()
    _call("unshare", _NEWNS | _NEWPID | _NEWNET | _NEWIPC | _NEWUTS)


def furnish(disk_bytes: int) -> None:
    """In process 1: mount a private scratch and /proc, and give up every right over what was set up.

    Raises:
        OSError: the system does not allow it.
    """
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
    _mount("tmpfs", str(SCRATCH), "tmpfs", _MS_NOSUID | _MS_NODEV, f"size={disk_bytes},nr_inodes=100000,mode=700")
    for name, place in (("tmp", "/tmp"), ("shm", "/dev/shm")):
        (SCRATCH / name).mkdir()
        for kept in _mounts_below(place):  # Python itself, where the course lies in /tmp
            again = SCRATCH / name / kept.relative_to(place)
            again.mkdir(parents=True)
            _mount(str(kept), str(again), None, _MS_BIND | _MS_REC)
        _mount(str(SCRATCH / name), place, None, _MS_BIND | _MS_REC)
    _mount("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    _loopback_up()
    if os.getuid() == 0:
        for path in (SCRATCH / "tmp", SCRATCH / "shm", SCRATCH):  # the last one shuts us out
            os.chown(path, FIRST_UID, FIRST_UID)
        os.setgroups([])
        os.setresgid(FIRST_UID, FIRST_UID, FIRST_UID)
        os.setresuid(FIRST_UID, FIRST_UID, FIRST_UID)
        _own_user_namespace()
    Path("/proc/sys/user/max_user_namespaces").write_text("0")  # no namespaces further in, and so no rights there


def _own_user_namespace() -> None:
    uid, gid = os.getuid(), os.getgid()
    show()  # a change of user takes it away, and then the files below cannot be written
    _call("unshare", _NEWUSER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{NOBODY} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{NOBODY} {gid} 1")


def hide() -> None:
    """Let no process of the same user look into this one, or steer it."""
    _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def show() -> None:
    """Undo `hide`: a process must be able to read its own folder in /proc."""
    _libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)


def give_away(folders: Iterable[Path], uid: int) -> None:
    """Make folders and all that is in them another user's. Links are not followed."""
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, uid, uid, follow_symlinks=False)


def become(uid: int) -> None:
    """Be another user from here on, for good: where there are no namespaces, but we are root.

    Raises:
        OSError: the system does not allow it.
    """
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    show()  # the change took it away


def end_all_of(uid: int) -> None:
    """End every process of a user, whoever is their parent now."""
    child = os.fork()
    if child == 0:
        try:
            become(uid)
            os.kill(-1, signal.SIGKILL)  # all that this user may signal, and that is its own
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def surrender() -> None:
    """Drop all capabilities, for good, for this process and all that it starts.

    Raises:
        OSError: they could not be dropped.
    """
    for capability in range(64):
        if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    header, none = struct.pack("Ii", _CAPABILITIES_V3, 0), bytes(24)
    _check(_libc.capset(header, none), "capset")


def limit(limits: Mapping[str, int]) -> None:
    """Set limits of resources, such as ``{"RLIMIT_NOFILE": 1024}``; never above those that are there."""
    for name, value in limits.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))


def first_to_go() -> None:
    """When memory runs out, the system is to end this process and its children, and not the grader."""
    with contextlib.suppress(OSError):  # /proc is not there: another system
        Path("/proc/self/oom_score_adj").write_text("1000")


def _mounts_below(place: str) -> list[Path]:
    """Folders below a place that were mounted there, those inside of others left out."""
    lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    points = sorted(os.fsdecode(_unescaped(line.split()[4])) for line in lines)
    found: list[Path] = []
    for point in map(Path, points):
        if Path(place) in point.parents and point.is_dir() and not any(f in point.parents for f in found):
            found.append(point)
    return found


def _unescaped(name: bytes) -> bytes:
    """A name as it is, without the octal numbers that stand for blanks and line ends in /proc."""
    return re.sub(rb"\\([0-7]{3})", lambda match: bytes([int(match[1], 8)]), name)


def _loopback_up() -> None:
    """A network that reaches nothing but this run itself."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        (flags,) = struct.unpack("16xh14x", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    given = [None if text is None else text.encode() for text in (source, target, kind, data)]
    _check(_libc.mount(given[0], given[1], given[2], ctypes.c_ulong(flags), given[3]), f"mount {target}")


def _call(name: str, flags: int) -> None:
    _check(getattr(_libc, name)(flags), name)


def _check(returned: int, what: str) -> None:
    if returned != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
