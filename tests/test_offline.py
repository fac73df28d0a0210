"""With the weights on disk, a whole run from a table to a report contacts nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

# What Python itself reports of every attempt, whichever library makes it and however it spells the call.
# Processes may not be started either: one could ask in this one's place, as pip does.
PROGRAM = """
import sys
REPORTED = {f"socket.{name}" for name in ("connect", "getaddrinfo", "gethostbyname", "sendto")}
REPORTED.add("subprocess.Popen")
attempts = []
def refuse(event, arguments):
    if event in REPORTED:
        attempts.append(f"{event} {arguments}")
        raise OSError(f"refused: {event}")
sys.addaudithook(refuse)
from semscale.cli.main import main
if sys.argv[1] == "connect":
    import urllib.request
    try:
        urllib.request.urlopen("http://localhost:9")
    except OSError:
        pass
    code = 0
else:
    code = main(sys.argv[1:])
print("attempts:", *attempts, file=sys.stderr)
sys.exit(code)
"""

ANSWERS = (
    "I love it",
    "It is fine",
    "Not what I hoped for",
    "Works as it should",
    "It broke on the second day",
    "Would order again",
    "Far too expensive",
    "The staff was kind",
    "I am disappointed",
    "",
)


def run_watched(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.exhaustive
def test_a_run_with_report_contacts_nothing(embedder, tmp_path):
    assert embedder.dimensions == 384  # the fixture has put the default model's weights on disk
    table, rated, report = (tmp_path / name for name in ("answers.csv", "rated.csv", "rated.html"))
    table.write_text("answer\n" + "".join(f'"{answer}"\n' for answer in ANSWERS), encoding="utf-8")
    # Without the cache of embeddings the model itself must run.
    files = ["--out", rated, "--report", report]
    done = run_watched("rate", table, "--text", "answer", "--scale", "satisfaction", "--no-cache", *files)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "attempts:"
    assert len(rated.read_text(encoding="utf-8").splitlines()) == 1 + len(ANSWERS)
    assert "</html>" in report.read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_an_attempt_would_be_seen():
    assert "attempts: socket.getaddrinfo" in run_watched("connect").stderr
