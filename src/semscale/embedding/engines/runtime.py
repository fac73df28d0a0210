"""Import of OpenVINO without its usage reports, and without a cache that makes it give wrong numbers."""

import os
from types import ModuleType

from semscale.extras import usage_reports_off

_CACHE = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"


def openvino_module() -> ModuleType:
    """Import OpenVINO without the usage report that its import would send.

    All streams of OpenVINO 2026.4 share oneDNN's cache of compiled products. Where two streams met the same
    long row at once, states of both could be wrong (docs/decisions.md). Each stream has a cache of its own
    besides, so the shared one is switched off before it is first used.
    """
    os.environ.setdefault(_CACHE, "0")
    with usage_reports_off():
        import openvino
        import openvino.opset13
    module: ModuleType = openvino
    return module
