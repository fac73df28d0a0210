"""The program in this process, with a toy model in place of the real one, and answers for it to rate."""

import os
from functools import cache

import pytest
import typer.main
from tests.schema_check import check_json

from semscale.cli.main import main
from semscale.embedding import loading
from semscale.report import json_encoding

ANSWERS = """id,text,region,weight,person,human
1,It works great and I love it,north,1,a,5
2,It is awful and I hate it,north,2,a,1
3,it is neither good nor bad,south,1,b,"[3, 4]"
4,=SUM(A1) is great,south,1,b,4
5,,south,1,c,2
6,[bold red]shout[/] it is bad,north,1,,2
7,It works great and I love it,,1,d,5
"""


class Ended:
    """How a command ended: its exit code and what it printed."""

    def __init__(self, code, printed):
        self.code, self.out, self.err = code, printed.out, printed.err


@pytest.fixture(scope="session", autouse=True)
def commands_built_once():
    """Build the commands once a run; a program, which runs one, builds them at every start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(autouse=True)
def json_keeps_to_its_schema(monkeypatch):
    """Hold all JSON of a summary that any command prints here against the schema."""
    write = json_encoding.json_text

    def checked(content):
        text = write(content)
        if "schema" in content:
            check_json(text)
        return text

    monkeypatch.setattr(json_encoding, "json_text", checked)


@pytest.fixture
def semscale(capsys, monkeypatch, tmp_path, toy_embedder):
    """Run ``semscale`` with arguments, in an empty folder, with the toy model."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(loading, "load_embedder", lambda *_, **__: toy_embedder)

    def run(*arguments):
        capsys.readouterr()
        return Ended(main([str(argument) for argument in arguments]), capsys.readouterr())

    return run


@pytest.fixture
def files(tmp_path):
    """List all files and folders below the working folder."""
    return lambda: sorted(
        os.path.relpath(os.path.join(folder, name), tmp_path)
        for folder, folders, names in os.walk(tmp_path)
        for name in [*folders, *names]
    )


@pytest.fixture
def seven_answers(tmp_path):
    """Seven rows in ``answers.csv``: two alike, one without text, one that is a formula, one with markup."""
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERS)
    return path


@pytest.fixture
def rate(semscale):
    """Run ``semscale rate`` on a file's column ``text``, with every text on the topic."""

    def run(*options, file="answers.csv"):
        floor = [] if "--floor" in options else ["--floor", "none"]
        return semscale("rate", file, "--text", "text", "--scale", "quality", *floor, *options)

    return run


@pytest.fixture
def stop_at_second_embedding(toy_embedder, monkeypatch):
    """Give a function after which the second call of the embedder, and it alone, is a Ctrl-C."""

    def arm():
        embed, calls = toy_embedder.embed, []

        def stopping(texts, **settings):
            calls.append(texts)
            if len(calls) == 2:
                raise KeyboardInterrupt
            return embed(texts, **settings)

        monkeypatch.setattr(toy_embedder, "embed", stopping)

    return arm
