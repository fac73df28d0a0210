"""Takes from a process that runs as root the right to write where the permissions forbid it."""

import ctypes
import os

_VERSION = 0x20080522  # of the kernel's interface: two words for each set
_OVERRIDE = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Sets(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable")]


def heed_permissions() -> None:
    """Give up the rights for good.

    Raises:
        OSError: the kernel refuses.
    """
    if os.geteuid() != 0:
        return
    kernel, header, sets = ctypes.CDLL(None, use_errno=True), _Header(_VERSION, 0), (_Sets * 2)()
    if kernel.capget(ctypes.byref(header), sets) == 0:
        sets[0].effective &= ~_OVERRIDE
        sets[0].permitted &= ~_OVERRIDE
        if kernel.capset(ctypes.byref(header), sets) == 0:
            return
    raise OSError(ctypes.get_errno(), "rights cannot be given up")
