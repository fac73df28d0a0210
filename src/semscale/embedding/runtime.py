"""OpenVINO, imported without its usage reports."""

import sys
from types import ModuleType

_REPORTS = "openvino_telemetry"


def openvino_module() -> ModuleType:
    """Import OpenVINO; its own import would send a usage report and keep an identifier in the home folder.

    OpenVINO goes without reports where that package is not installed, so it is hidden during the import. An
    OpenVINO that the program itself has imported before is left as it is.
    """
    hidden = _REPORTS not in sys.modules
    if hidden:
        sys.modules[_REPORTS] = None  # type: ignore[assignment]  # Python's way to say: cannot be imported
    try:
        import openvino
        import openvino.opset13
    finally:
        if hidden:
            del sys.modules[_REPORTS]
    module: ModuleType = openvino
    return module
