"""Pipes, devices and sockets named as input are refused at once, for every argument and option."""

import os
import shutil
import socket
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")

TABLES = [
    "rate PIPE.csv --text text --scale quality",
    "rate PIPE.xlsx --text text --scale quality",
    "rate PIPE --format jsonl --text text --scale quality",
    "rate good.csv --text text --scale quality --labels PIPE.csv",
    "columns PIPE.parquet",
    "columns PIPE.json",
    "columns PIPE.eval",
    "embed PIPE.csv --text text --out vectors.parquet",
    "match PIPE.csv --prediction text --reference id",
    "match good.csv --prediction text --reference id --method bertscore --corpus PIPE.csv",
    "match good.csv --prediction text --reference id --method bertscore --corpus PIPE.txt",
    "consistency PIPE.csv --item id --answer text",
    "judge PIPE.csv --prompt id --answer text --chat-model gpt-4o-mini",
    "code PIPE.csv --text text --codebook codes.yaml",
    "code good.csv --text text --codebook codes.yaml --other-run PIPE.csv",
    "code good.csv --text text --codebook codes.yaml --quotes PIPE.csv",
    "tables PIPE.csv",
    "label PIPE.csv --text text --scale quality --out sheet.csv",
    "calibrate PIPE.csv --text text --human n --scale quality --out calibration.json",
    "study compare good.csv PIPE.csv",
    "drift record PIPE.csv --output text --model a",
    "drift record PIPE.jsonl --model a",
    "drift record PIPE.json --model a",
    "drift record --items PIPE.csv --prompts template.txt --chat-model gpt-4o-mini --model a",
    "drift record --prompts PIPE.csv --chat-model gpt-4o-mini --model a",
    "scales lint quality --file PIPE.csv --text text",
    "models calibrate all-MiniLM-L6-v2 --corpus PIPE.csv --text text --out baseline.json",
]
OTHER_INPUTS = [
    "rate good.csv --text text --scale PIPE.yaml",
    "rate good.csv --text text --scale quality --calibration PIPE.json",
    "judge good.csv --prompt id --answer text --chat-model gpt-4o-mini --prices PIPE.yaml",
    "judge good.csv --prompt id --answer text --chat-model gpt-4o-mini --ledger PIPE.sqlite",
    "judge good.csv --prompt id --answer text --panel PIPE.yaml",
    "judge good.csv --prompt id --answer text --chat-model gpt-4o-mini --rubric @PIPE.txt",
    "judge good.csv --prompt id --answer text --chat-model gpt-4o-mini --criteria PIPE.yaml",
    "code good.csv --text text --codebook PIPE.yaml",
    "study run PIPE.yaml",
    "tables good.csv --raked-to PIPE.yaml",
    "tables good.csv --weight n --replicates n* --replicate-type jkn --rscales PIPE.txt",
    "drift record --items good.csv --prompts PIPE.txt --chat-model gpt-4o-mini --model a",
    "drift record good.csv --output text --model a --history PIPE.sqlite",
    "drift gate latest --gate PIPE.yaml",
    "drift history --history PIPE.sqlite",
    "scales grow PIPE.yaml --reply good.csv",
    "scales show PIPE.yaml",
]


@contextmanager
def pipe_at(path):
    """Create a pipe, and yield a list to which its path is added when it is opened; a reader gets no byte."""
    os.mkfifo(path)
    opened, is_over = [], threading.Event()

    def serve():
        while not is_over.is_set():
            handle = os.open(path, os.O_WRONLY)  # waits for a reader
            if not is_over.is_set():
                opened.append(path)
            os.close(handle)

    writer = threading.Thread(target=serve)
    writer.start()
    try:
        yield opened
    finally:
        is_over.set()
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        writer.join()
        os.close(reader)


@pytest.mark.parametrize("command", [*TABLES, *OTHER_INPUTS])
@pytest.mark.exhaustive
def test_a_pipe_is_refused_without_opening_it(tmp_path, monkeypatch, semscale, command):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    Path("good.csv").write_text("id,text,n\n1,great thing,1\n2,bad stuff,2\n")
    Path("codes.yaml").write_text(
        "name: mine\ncodes:\n"
        "- {name: a, definition: x, examples: [x]}\n- {name: b, definition: y, examples: [y]}\n"
    )
    Path("template.txt").write_text("Say {text}.")
    arguments = command.split()
    (named,) = (word.removeprefix("@") for word in arguments if "PIPE" in word)
    with pipe_at(named) as was_opened:
        ended = semscale(*arguments)
    assert (ended.code, was_opened) == (2, []), ended.err
    assert "is a pipe" in ended.err
    assert "\n" not in ended.err.strip()


def test_devices_and_sockets_are_refused(semscale):
    ended = semscale("columns", "/dev/zero", "--format", "csv")
    assert (ended.code, "/dev/zero is a device" in ended.err) == (2, True)
    folder = tempfile.mkdtemp(prefix="s-")  # the name of a socket has at most about 100 characters
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(f"{folder}/s.csv")
            ended = semscale("columns", f"{folder}/s.csv")
    finally:
        shutil.rmtree(folder)
    assert (ended.code, "s.csv is a socket" in ended.err) == (2, True)
