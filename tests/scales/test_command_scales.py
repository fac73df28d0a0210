import json
import re
from contextlib import redirect_stdout
from importlib import resources
from io import StringIO
from types import SimpleNamespace

import pytest
from tests.schema_check import check_json

from semscale.cli.main import main
from semscale.scales import load_scale, scale_names
from semscale.weights.known import DEFAULT_RATING_MODEL


@pytest.fixture
def toy_model(monkeypatch, toy_embedder):
    monkeypatch.setattr("semscale.embedding.loading.load_embedder", lambda *_, **__: toy_embedder)


def run(*arguments):
    with redirect_stdout(StringIO()) as printed:
        code = main(["scales", *map(str, arguments)])
    return SimpleNamespace(exit_code=code, stdout=printed.getvalue())


def write(path, **anchor_sets):
    lines = ["name: mine", "title: Mine", "question: How?", "provenance: a test", "points:"]
    lines += [f"  - {{value: {value}, label: point {value}}}" for value in (1, 2, 3)]
    lines += ["anchor_sets:"]
    for name, anchors in anchor_sets.items():
        lines += [f"  {name}:", *(f"    - {anchor}" for anchor in anchors)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_list_names_every_scale_with_its_hash():
    result = run("list")
    assert result.exit_code == 0
    for name in scale_names():
        line = next(line for line in result.stdout.splitlines() if line.split()[:1] == [name])
        assert line.split()[-1] == load_scale(name).for_model(DEFAULT_RATING_MODEL).content_hash


def test_show_prints_every_anchor():
    result = run("show", "recommendation")
    scale = load_scale("recommendation")
    assert result.exit_code == 0
    assert all(anchor in result.stdout for anchors in scale.anchor_sets.values() for anchor in anchors)
    assert scale.notes in result.stdout
    assert scale.question in result.stdout


def test_show_names_the_anchor_sets_per_model():
    lines = [" ".join(line.split()) for line in run("show", "trust").stdout.splitlines()]
    scale = load_scale("trust")
    for model, sets, used in (
        ("all-MiniLM-L6-v2", "set-1", "all-MiniLM-L6-v2"),
        ("e5-small", "e5-1", "e5-small"),
        ("any other", "those of e5-small", "e5-small"),
    ):
        hash_ = scale.for_model(used).content_hash
        assert any(line.startswith(f"{model} {sets}") and line.endswith(hash_) for line in lines)


def test_show_takes_square_brackets_as_text(tmp_path):
    path = write(tmp_path / "mine.yaml", plain=("'[red]bad[/red]'", "fair", "good"))
    assert "[red]bad[/red]" in run("show", path).stdout


def test_a_new_scale_loads_and_is_not_overwritten(tmp_path, capsys):
    path = tmp_path / "mine.yaml"
    assert main(["scales", "new", str(path)]) == 0
    content = path.read_bytes()
    assert b"\r" not in content
    scale = load_scale(path)
    assert (scale.name, len(scale.anchor_sets)) == ("mine", 2)
    assert main(["scales", "new", str(path)]) == 2
    assert "must not exist" in capsys.readouterr().err
    assert path.read_bytes() == content


def test_a_new_scale_passes_the_linter(tmp_path, embedder, monkeypatch):
    monkeypatch.setattr("semscale.embedding.loading.load_embedder", lambda *_, **__: embedder)
    path = tmp_path / "Our comfort.yaml"
    run("new", path)
    shown = run("lint", path)
    assert shown.exit_code == 0
    assert shown.stdout.startswith("Lint passes  our-comfort")


@pytest.mark.parametrize(
    ("name", "message"), [("mine.txt", "must end in .yaml"), ("no/x.yaml", "cannot be written")]
)
def test_a_new_scale_that_cannot_be_written(tmp_path, capsys, name, message):
    assert main(["scales", "new", str(tmp_path / name)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("toy_model")
def test_a_scale_that_fails_gives_exit_code_1_and_the_reason(tmp_path, capsys):
    # Bags of words: "a b" and "a a b b" are one and the same vector, so the neighbours have cosine 1.
    path = write(tmp_path / "mine.yaml", plain=("a b", "a a b b", "c d"), other=("e f", "g h", "i j"))
    assert main(["scales", "lint", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Lint fails  mine"
    assert lines[4].split()[:4] == ["mine", "fail", "2", "none"]
    (alike,) = [line for line in lines if "very similar: cosine 1.00" in line]
    assert alike.split()[:3] == ["mine", "fail", "plain"]


@pytest.mark.usefixtures("toy_model")
@pytest.mark.exhaustive
def test_lint_prints_json_that_keeps_to_the_schema(tmp_path, capsys):
    path = write(tmp_path / "mine.yaml", plain=("a b", "a a b b", "c d"), other=("e f", "g h", "i j"))
    assert main(["scales", "lint", str(path), "--json", "--report", str(tmp_path / "lint.md")]) == 1
    text = capsys.readouterr().out
    check_json(text)
    content = json.loads(text)
    assert (content["instrument"], content["scale"], content["verdict"]) == ("lint", "mine", "fail")
    assert {"plain", "other"} == {entry["name"] for entry in content["sets"]}
    assert content["report"] == [str(tmp_path / "lint.md")]


def test_lint_takes_the_model_options_of_rate(tmp_path, monkeypatch, toy_embedder):
    asked = []
    monkeypatch.setattr(
        "semscale.embedding.loading.load_embedder",
        lambda name, **settings: (asked.append((name, settings)), toy_embedder)[1],
    )
    path = write(tmp_path / "mine.yaml", plain=("a", "b", "c"), other=("e", "f", "g"))
    run("lint", path)
    options = "--embedder m --precision fast --engine api --embedder-url http://localhost:1 --no-cache"
    run("lint", path, *options.split())
    expected_calls = [
        (name, {key: settings[key] for key in sorted(settings) if key != "progress"})
        for name, settings in asked
    ]
    assert expected_calls == [
        (
            "e5-small",
            {"base_url": None, "cache": True, "device": "auto", "engine": "openvino", "precision": "exact"},
        ),
        (
            "m",
            {
                "base_url": "http://localhost:1",
                "cache": False,
                "device": "auto",
                "engine": "api",
                "key_variable": "OPENAI_API_KEY",
                "precision": "fast",
            },
        ),
    ]


@pytest.mark.usefixtures("toy_model")
def test_a_scale_without_probes_is_reported(tmp_path):
    path = write(tmp_path / "mine.yaml", only=("a b", "c d", "e f"))
    lines = run("lint", path).stdout.splitlines()
    n = len({probe.text for name in scale_names() for probe in load_scale(name).probes})
    # Without levels there is no order and no spread; one set has no other to agree with.
    assert lines[4].split()[2:] == ["1", "none", "of", "its", "own", "–", "–", "–"]
    assert f"mine has no probes of its own and was tested on {n} probes of the library" in lines


@pytest.mark.usefixtures("toy_model")
def test_a_scale_with_probes_shows_their_figures():
    lines = run("lint", "trust").stdout.splitlines()
    assert lines[3].split() == ["scale", "verdict", "sets", "probes", "order", "spread", "reliability"]
    assert re.fullmatch(r"trust +\w+ +12 +2\d( +\S+){3}", lines[4])
    assert "nan" not in lines[4]


@pytest.mark.exhaustive
@pytest.mark.usefixtures("toy_model")
def test_lint_writes_a_report_in_any_format(tmp_path):
    path = write(tmp_path / "mine.yaml", plain=("<script>", "b", "c"), other=("e", "f", "g"))
    page = tmp_path / "page.html"
    run("lint", path, "--report", page)
    content = page.read_text(encoding="utf-8")
    assert "<html" in content
    assert "<script" not in content
    run("lint", path, "--report", tmp_path / "report.md", "--figures", tmp_path / "figures")
    assert "figures/ladder.svg" in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "figures" / "ladder.svg").exists()


@pytest.mark.usefixtures("toy_model")
@pytest.mark.exhaustive
def test_lint_all_says_something_about_every_scale():
    lines = run("lint", "--all").stdout.splitlines()
    assert lines[0] == f"Lint  {len(scale_names())} scales"
    table = lines[4 : lines.index("", 4)]
    assert [line.split()[0] for line in table] == scale_names()
    # A long finding takes several lines, of which the first begins with the scale.
    first = {line.split(" ")[0] for line in lines[lines.index("Findings") + 2 :]}
    assert first & set(scale_names()) == {line.split()[0] for line in table if line.split()[1] != "pass"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give exactly one of them"),
        (["trust", "--all"], "give exactly one of them"),
        (["--all", "--report", "x.html"], "--report is for one scale"),
        (["--all", "--json"], "--json is for one scale"),
        (["--all", "--figures", "x"], "--figures is for one scale"),
        (["trust", "--report", "x.pdf"], "report must end in .html, .htm, .md, .xlsx or .pptx, got 'x.pdf'"),
        (
            ["trust", "--report", "no-such-folder/x.html"],
            "--report: the folder {here} does not exist; create it, or choose another one",
        ),
        (["trsut"], "did you mean 'trust'?"),
        (["absent.yaml"], "scale file 'absent.yaml' cannot be read"),
    ],
)
@pytest.mark.usefixtures("toy_model")
def test_bad_input_prints_a_single_line_and_exits_with_2(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(["scales", "lint", *arguments]) == 2
    captured = capsys.readouterr()
    assert message.format(here=tmp_path / "no-such-folder") in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert list(tmp_path.iterdir()) == []


def test_the_template_is_shipped_with_unix_line_ends():
    content = (resources.files("semscale.cli") / "new_scale.yaml.txt").read_bytes()
    assert b"\r" not in content


REPLY = (
    '{"sets": [{"topic": "my job", "anchors": ["my job is bad", "my job is so so", "my job is good"]}, '
    '{"topic": "short", "anchors": ["one", "two"]}]}'
)


def test_grow_without_a_model_prints_the_prompt(tmp_path):
    path = write(tmp_path / "mine.yaml", a=("so bad", "so so", "so good"))
    result = run("grow", path, "--n", 3)
    assert result.exit_code == 0
    assert result.stdout.startswith("Write 3 further anchor sets for a survey scale")


def test_grow_names_the_remedy_for_a_reply_that_cannot_be_read(tmp_path, semscale):
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    semscale("scales", "new", tmp_path / "s.yaml")
    for name, remedy in (
        ("none.txt", "check the name of the file"),
        ("latin.txt", "save the reply as UTF-8"),
    ):
        result = semscale("scales", "grow", tmp_path / "s.yaml", "--reply", tmp_path / name)
        assert result.code == 2
        assert result.err.startswith(f"semscale: --reply: {tmp_path / name}")
        assert remedy in result.err


def test_grow_reads_a_reply_and_writes_a_new_file(tmp_path, toy_model):
    path = write(tmp_path / "mine.yaml", a=("so bad", "so so", "so good"))
    before, out = path.read_bytes(), tmp_path / "grown.yaml"
    (tmp_path / "reply.txt").write_text(REPLY, encoding="utf-8")
    result = run("grow", path, "--reply", tmp_path / "reply.txt", "--out", out)
    assert result.exit_code == 0
    assert "my job is so so" in result.stdout
    assert path.read_bytes() == before
    grown = load_scale(out)
    assert list(grown.anchor_sets) == ["a", "my-job"]
    assert grown.sources["my-job"].startswith("the reply in reply.txt, ")
    # A file that exists is not overwritten.
    assert run("grow", path, "--reply", tmp_path / "reply.txt", "--out", out).exit_code == 2


def test_lint_proposes_probes_from_texts_of_a_file(tmp_path, toy_model):
    path = write(tmp_path / "mine.yaml", a=("so bad", "so so", "so good"))
    table = tmp_path / "answers.csv"
    table.write_text("comment\n" + "\n".join(f"so good {n}" for n in range(30)), encoding="utf-8")
    result = run("lint", path, "--file", table, "--text", "comment")
    assert result.exit_code == 0  # a scale without probes is a warning
    assert result.stdout.count("  - {level: , text: ") == 12  # four for each of three points
    report = json.loads(run("lint", path, "--file", table, "--text", "comment", "--json").stdout)
    assert len(report["proposed_probes"]) == 12
    assert run("lint", path, "--file", table).exit_code == 2


def test_codes_for_a_missing_answer_are_no_probes(tmp_path, toy_model):
    path = write(tmp_path / "mine.yaml", a=("so bad", "so so", "so good"))
    table = tmp_path / "answers.csv"
    table.write_text("comment\nk.A.\nso good\nn/a\n-99\nso bad\n", encoding="utf-8")
    options = ("--file", table, "--text", "comment", "--json")
    report = json.loads(run("lint", path, *options).stdout)
    assert sorted(report["proposed_probes"]) == ["so bad", "so good"]


def test_lint_reads_names_and_codes_of_a_description(tmp_path, toy_model):
    path = write(tmp_path / "mine.yaml", a=("so bad", "so so", "so good"))
    table = tmp_path / "answers.csv"
    table.write_text("q7\nso good\nso much\nso bad\n", encoding="utf-8")
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nquestions:\n- {name: Reason, kind: open, columns: q7, missing: [so much]}\n"
    )
    report = json.loads(run("lint", path, "--file", table, "--text", "Reason", "--json").stdout)
    assert sorted(report["proposed_probes"]) == ["so bad", "so good"]


LABELLED = ((1, "bad"), (2, "so"), (3, "good"))


def test_validate_prints_a_table_of_agreement(tmp_path, toy_model):
    path = write(tmp_path / "mine.yaml", a=("so bad", "so so", "so good"))
    table = tmp_path / "labelled.csv"
    rows = [f"so {word} {n},{label}" for n in range(10) for label, word in LABELLED]
    table.write_text("comment,human\n" + "\n".join(rows), encoding="utf-8")
    named = ("--text", "comment", "--human", "human", "--scale", path)
    result = run("validate", table, *named)
    assert result.exit_code == 0
    for line in ("r with the human means", "baseline: r of plain sentiment", "baseline: r of text length"):
        assert line in result.stdout
    result = run("validate", table, *named, "--json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert report["n"] == report["rated"] == 30
    assert report["pearson"]["value"] > 0.9
