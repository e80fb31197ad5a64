"""Calls of the system that Python does not offer."""

import ctypes
import os

PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS = 0x00020000
MS_RDONLY, MS_NOSUID, MS_REMOUNT, MS_REC, MS_PRIVATE = 1, 2, 32, 1 << 14, 1 << 18
MNT_DETACH = 2

NOBODY = 65534

_libc = ctypes.CDLL(None, use_errno=True)


def _call(name, *arguments):
    if getattr(_libc, name)(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")


def become_subreaper():
    """Makes processes below this one that lose their parent its children, so that none escapes."""
    _call("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def leave_mount_namespace():
    """Gives this process mounts of its own; they vanish with it."""
    _call("unshare", CLONE_NEWNS)
    _call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)


def mount_tmpfs(path, options, flags=0):
    """Mounts a disk in memory."""
    _call("mount", b"tmpfs", os.fsencode(path), b"tmpfs", flags, options.encode())


def unmount(path):
    """Takes a disk away while it is in use."""
    _call("umount2", os.fsencode(path), MNT_DETACH)


def can_mount():
    """Whether this machine lets a process have mounts of its own; asks in a child."""
    child = os.fork()
    if child == 0:
        try:
            leave_mount_namespace()
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
