"""Import of OpenVINO without its usage reports."""

from types import ModuleType

from semscale.silence import usage_reports_off


def openvino_module() -> ModuleType:
    """Import OpenVINO without the usage report that its import would send."""
    with usage_reports_off():
        import openvino
        import openvino.opset13
    module: ModuleType = openvino
    return module
