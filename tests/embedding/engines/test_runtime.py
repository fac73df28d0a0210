"""OpenVINO sends no usage report and leaves nothing in the home folder."""

import os
import subprocess
import sys

SCRIPT = """
import os
from semscale.embedding.graph import openvino_module
forks = []
os.register_at_fork(before=lambda: forks.append(1))
module = openvino_module()
import sys
print(hasattr(module, "Core"), "openvino_telemetry" in sys.modules, len(forks))
"""


def test_importing_openvino_reports_nothing(tmp_path):
    # OpenVINO itself is silent where CI is set, so the test must not be.
    environment = {name: value for name, value in os.environ.items() if name != "CI"} | {
        "HOME": str(tmp_path)
    }
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == ["True", "False", "0"]
    assert list(tmp_path.iterdir()) == []
