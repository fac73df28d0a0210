"""Bad input of every kind: exit code 2, one clear line, and nothing left behind."""

import polars as pl
import pytest
import yaml

GOOD = "id,text,region,n\n1,great thing,north,1\n2,bad stuff,south,2\n3,so so,north,3\n"
POINTS = [{"value": value, "label": f"label {value}"} for value in range(1, 4)]


def scale_file(anchors=("anchor 0", "anchor 1", "anchor 2")):
    """A scale of three points in YAML."""
    content = {
        "name": "mine",
        "title": "Mine",
        "question": "How?",
        "provenance": "a test",
        "points": POINTS,
        "anchor_sets": {"only": list(anchors)},
    }
    return yaml.safe_dump(content)


def rate(*options, file="good.csv", text="text", scale="mine.yaml"):
    usual = {"--text": text, "--scale": scale, "--floor": "none", "--out": "rated.csv"}
    remaining = [part for name, value in usual.items() if name not in options for part in (name, value)]
    return ["rate", file, *remaining, *options]


FILES = {
    "good.csv": GOOD,
    "mine.yaml": scale_file(),
    "empty.csv": "",
    "blank.csv": "\n\n",
    "header.csv": "id,text\n",
    "latin.csv": "id,text\n1,good\n2,gr\xfcn\n".encode("latin-1"),
    "torn.csv": "id,text\n1,süß\n2,gr".encode() + b"\xfcn\n",
    "ragged.csv": GOOD + "4,bad, very bad,south,1\n",
    "open.csv": GOOD + '4,"never closed,south,1\n',
    "double.csv": "text,text\na,b\n",
    "reserved.csv": "text,semscale_mode\ngreat,1\n",
    "broken.jsonl": '{"text": "good"}\n{"text": \n',
    "list.jsonl": '["good"]\n',
    "fake.parquet": GOOD,
    "fake.xlsx": GOOD,
    "answers.rds": GOOD,
    "answers.xyz": GOOD,
    "words.csv": "id,text,n\n1,great,1\n2,bad,much\n",
    "comma.csv": "id;text;n\n1;great;1\n2;bad;1,500\n",
    "negative.csv": "id,text,n\n1,great,1\n2,bad,-1\n",
    "infinite.csv": "id,text,n\n1,great,inf\n",
    "few-anchors.yaml": scale_file(anchors=["awful", "great"]),
    "broken.yaml": "name: [",
}

BAD = {
    # columns
    "a missing column": (rate(text="txet"), ["text", "'txet'", "did you mean 'text'", "id, text, region, n"]),
    "a missing group": (rate("--by", "regin"), ["by", "'regin'", "did you mean 'region'"]),
    "a missing weight": (rate("--weight", "wt"), ["weight", "'wt'", "columns: id"]),
    "a missing respondent": (rate("--respondent", "ID"), ["respondent", "'ID'", "did you mean 'id'"]),
    "missing humans": (rate("--human", "m"), ["human", "'m'", "columns: id"]),
    "no text column": (rate(text="n"), ["column 'n' holds no text", "'1'"]),
    "a reserved name": (rate(file="reserved.csv"), ["'semscale_mode'", "rename"]),
    # the file
    "no file": (rate(file="nowhere.csv"), ["nowhere.csv does not exist"]),
    "a folder": (rate(file="folder"), ["folder has no .parquet files", "or a file"]),
    "an empty file": (rate(file="empty.csv"), ["empty.csv is empty"]),
    "a blank file": (rate(file="blank.csv"), ["blank.csv is empty", "header"]),
    "a header alone": (rate(file="header.csv"), ["header.csv has a header but no rows"]),
    "a damaged encoding": (
        rate(file="torn.csv"),
        ["torn.csv, line 3", "0xfc is not valid utf-8", "--encoding, such as cp1252"],
    ),
    "an unknown encoding": (rate("--encoding", "klingon"), ["encoding", "'klingon'", "utf-8"]),
    "a named wrong encoding": (
        rate("--encoding", "ascii", file="latin.csv"),
        ["line 3", "0xfc is not valid ascii"],
    ),
    "a ragged row": (rate(file="ragged.csv"), ["ragged.csv, line 5", "5 cells", "header has 4"]),
    "an open quote": (rate(file="open.csv"), ["open.csv, line 5", "never closed"]),
    "a double column": (rate(file="double.csv"), ["two columns named 'text'"]),
    "broken json": (rate(file="broken.jsonl"), ["broken.jsonl, line 2", "no valid JSON"]),
    "json of another kind": (rate(file="list.jsonl"), ["list.jsonl, line 1", "not a JSON object"]),
    "no parquet": (rate(file="fake.parquet"), ["fake.parquet cannot be read as Parquet"]),
    "no workbook": (rate(file="fake.xlsx"), ["fake.xlsx cannot be read as an Excel workbook"]),
    "an unknown extension": (rate(file="answers.xyz"), ["'.xyz'", "--format"]),
    "a file of another program": (rate(file="answers.rds"), ["answers.rds", "of R", "save it as CSV"]),
    "a sheet of a csv": (rate("--sheet", "one"), ["--sheet applies to xlsx, not to csv"]),
    # options
    "texts named twice": (
        rate("--text", "text", "--text", "text"),
        ["--text: column 'text' is named twice; name it once"],
    ),
    "a weight named twice": (
        rate("--weight", "n", "--weight", "id"),
        ["--weight is given twice", "semscale rate --help"],
    ),
    "a scale for a column that is not rated": (
        rate("--scale", "txt=quality"),
        ["--scale: 'txt' in txt=quality is no column that is rated; did you mean 'text'?"],
    ),
    "replicates without a weight": (
        ["tables", "answers.csv", "--question", "region", "--replicates", "rw*"],
        ["--replicates need --weight: name the column"],
    ),
    "groups named twice": (rate("--by", "region", "--by", "region"), ["column 'region' is named twice"]),
    "a text that is a group": (rate("--by", "text"), ["column 'text' is the text that is rated"]),
    # cells
    "a weight with a comma that may separate thousands": (
        rate("--weight", "n", file="comma.csv"),
        ["data row 2 has '1,500'", "with a point (1.5, not 1,5)"],
    ),
    "a weight of words": (rate("--weight", "n", file="words.csv"), ["weight", "data row 2", "'much'"]),
    "a negative weight": (
        rate("--weight", "n", file="negative.csv"),
        [
            "weight",
            "column 'n'",
            "1e-100 to 1e100",
            "data row 2 has '-1'",
            "counted from 1, below the header",
        ],
    ),
    "an infinite weight": (
        rate("--weight", "n", file="infinite.csv"),
        ["weight", "column 'n'", "1e-100 to 1e100", "data row 1", "'inf'"],
    ),
    "human words": (rate("--human", "n", file="words.csv"), ["human", "data row 2", "'much'"]),
    "humans out of range": (
        rate("--human", "n", "--human-range", 1, 2),
        ["--human-range is 1 to 2", "data row 3", "'3'"],
    ),
    "a range upside down": (
        rate("--human", "n", "--human-range", 5, 1),
        ["--human-range must be the lowest value, then the highest", "got 5 1"],
    ),
    # the scale
    "an unknown scale": (rate(scale="qualty"), ["unknown scale 'qualty'", "'quality'"]),
    "no scale file": (rate(scale="nowhere.yaml"), ["nowhere.yaml", "check the name of the file"]),
    "a broken scale file": (rate(scale="broken.yaml"), ["broken.yaml"]),
    "too few anchors": (rate(scale="few-anchors.yaml"), ["few-anchors.yaml", "2", "3"]),
    "an unknown anchor set": (rate("--anchor-sets", "onyl"), ["onyl", "only"]),
    # settings
    "a negative temperature": (rate("--temperature", -1), ["temperature must be 0 or more, got -1"]),
    "no temperature": (rate("--temperature", "nan"), ["temperature must be 0 or more, got nan"]),
    "a temperature of words": (rate("--temperature", "hot"), ["--temperature"]),
    "a negative epsilon": (rate("--epsilon", -0.1), ["epsilon must be", "-0.1"]),
    "an unknown semantics": (rate("--semantics", "loose"), ["--semantics", "loose"]),
    "an unknown readout": (rate("--readout", "both"), ["--readout", "both"]),
    "the paper's semantics for the ordinal readout": (
        rate("--readout", "ordinal", "--semantics", "paper"),
        ["--semantics paper belongs to --readout ssr", "leave out one of them"],
    ),
    "a language without anchors": (rate("--language", "fi"), ["language must be one of auto, en", "Finnish"]),
    "a floor of words": (rate("--floor", "low"), ["--floor must be auto, none or a cosine", "'low'"]),
    "a floor out of range": (rate("--floor", 2), ["floor", "2"]),
    "an interval of everything": (rate("--interval", 1), ["interval must lie between 0 and 1", "got 1"]),
    "parts of nothing": (rate("--part-rows", 0), ["--part-rows must be at least 1, got 0"]),
    "an unknown option": (rate("--colour", "red"), ["--colour"]),
    # the outputs
    "a folder that is not there": (rate("--report", "no/where.html"), ["report", "no does not exist"]),
    "an output in a file": (rate("--report", "good.csv/x.html"), ["report", "good.csv does not exist"]),
    "an output that is a folder": (rate("--out", "folder"), ["out"]),
    "an output of another kind": (
        rate("--out", "rated.doc"),
        ["out must end in one of .parquet, .csv", "rated.doc"],
    ),
    "a report of another kind": (rate("--report", "r.pdf"), ["report must end in .html", "r.pdf"]),
    "an output that is the input": (rate("--out", "good.csv"), ["out must not be the input"]),
}


@pytest.fixture
def folder(tmp_path):
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize("case", BAD)
def test_bad_input(semscale, folder, files, case):
    arguments, messages = BAD[case]
    before = files()
    ended = semscale(*arguments)
    assert ended.code == 2, ended.err
    assert ended.out == ""
    assert ended.err.startswith("semscale: ")
    assert ended.err.endswith("\n")
    assert ended.err.count("\n") == 1, ended.err
    for word in messages:
        assert word in ended.err
    assert files() == before
    assert (folder / "good.csv").read_text() == GOOD


def test_the_base_case_of_bad_input_succeeds(semscale, folder, files):
    before = files()
    ended = semscale(*rate())
    assert (ended.code, ended.err) == (0, "")
    assert files() == sorted([*before, "rated.csv"])


@pytest.mark.parametrize("name", ["cells.jsonl", "cells.parquet"])
def test_cells_that_are_no_texts_are_counted_and_no_error(semscale, folder, name):
    if name == "cells.jsonl":
        (folder / name).write_text(
            '{"text": "great"}\n{"text": 5}\n{"text": NaN}\n{"text": null}\n{"text": " "}\n'
        )
        expected = {"scored": 1, "missing": 2, "not-text": 1, "empty": 1}
    else:
        pl.DataFrame({"text": ["great", None, "", "\t"]}).write_parquet(folder / name)
        expected = {"scored": 1, "missing": 1, "empty": 2}
    ended = semscale(*rate("--json", file=name))
    assert ended.code == 0, ended.err
    assert yaml.safe_load(ended.out)["counts"] == expected


def test_an_unwritable_output_is_reported_before_any_work(semscale, folder, toy_embedder, monkeypatch):
    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    ended = semscale(*rate())
    assert ended.code == 2
    assert "out: rated.csv cannot be written (Read-only file system)" in ended.err
    assert toy_embedder.embedded == []


def test_an_endless_message_stays_a_single_line(semscale, folder):
    (folder / "x.csv").write_text('"two\nlines \x1b[31m",text\n1,good\n')
    ended = semscale(*rate(file="x.csv", text="txt"))
    assert ended.err.count("\n") == 1
    assert "\x1b" not in ended.err
