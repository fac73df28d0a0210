"""OpenVINO, imported without its usage reports."""

from types import ModuleType

from semscale.silence import usage_reports_off


def openvino_module() -> ModuleType:
    """Import OpenVINO, whose own import would send a usage report."""
    with usage_reports_off():
        import openvino
        import openvino.opset13
    module: ModuleType = openvino
    return module
