"""Standard output that is closed, full, or no longer read: the command ends as it would have, silently."""

import os
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="the shell's redirections are those of POSIX"),
    pytest.mark.exhaustive,
]

PROGRAM = f'"{sys.executable}" -c "from semscale.cli.main import run; run()"'
FAILING = """
name: mine
title: Mine
question: How?
provenance: a test
points: [{value: 1, label: low}, {value: 2, label: high}]
anchor_sets: {a: [x]}
"""


def shell(line, **settings):
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, timeout=120, check=False, **settings
    )


@pytest.mark.parametrize(
    ("command", "closing"),
    [
        ("scales list", ">&-"),
        ("--help", ">&-"),
        ("scales show quality", "2>&- >&-"),
        ("models cache", "<&- >&-"),
    ],
)
def test_a_closed_output_is_no_error(command, closing):
    ended = shell(f"{PROGRAM} {command} {closing}")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("command", "reader"),
    [("scales show quality", "head -1"), ("rate --help", "head -1"), ("scales list", "true")],
)
def test_a_reader_that_has_gone_is_no_error(command, reader):
    # Enough is printed before the reader's end is noticed only if the reader is gone already.
    ended = shell(f"{PROGRAM} {command} | {reader}; exit ${{PIPESTATUS[0]}}")
    assert (ended.returncode, ended.stderr) == (0, "")


def run_unread(*arguments, cwd):
    """Run the program with a pipe whose reader is gone before it starts."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-c", "from semscale.cli.main import run; run()", *arguments]
    try:
        return subprocess.run(
            command, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=120, check=False, cwd=cwd
        )
    finally:
        os.close(writing)


@pytest.mark.parametrize("arguments", [["scales", "list"], ["rate", "--help"]])
def test_a_closed_reader_is_no_error(arguments, tmp_path):
    ended = run_unread(*arguments, cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_bad_input_exits_with_2_even_with_a_closed_reader(tmp_path):
    (tmp_path / "mine.yaml").write_text(FAILING)
    ended = run_unread("scales", "lint", "mine.yaml", cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1


def test_errors_to_a_closed_reader_keep_the_exit_code(tmp_path):
    ended = shell(f"{PROGRAM} rat 2>&1 | true; exit ${{PIPESTATUS[0]}}", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (2, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
@pytest.mark.parametrize("command", ["scales list", "rate --help"])
def test_a_full_disk_is_reported_once(command):
    ended = shell(f"{PROGRAM} {command} >/dev/full")
    assert ended.returncode == 2
    assert ended.stderr == "semscale: No space left on device; free some space on the disk\n"


def test_closed_input_is_empty_input():
    ended = shell(f"{PROGRAM} rate - --text text --scale quality <&-")
    assert ended.returncode == 2
    assert ended.stderr.startswith("semscale: standard input is empty")


def test_characters_missing_in_an_encoding_are_replaced():
    shown = "\N{MINUS SIGN}1.5\N{NO-BREAK SPACE}% \N{EN DASH} a\N{HORIZONTAL ELLIPSIS} \N{BLACK STAR}"
    assert shown.encode("ascii", "semscale-plainer") == b"-1.5 % - a... ?"
