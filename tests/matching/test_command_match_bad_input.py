"""Bad input to ``semscale match``: exit code 2, one clear line, and nothing left behind."""

import json

import pytest

FILES = {
    "good.csv": "id,answer,expected,n\n1,a lung,the lung,1\n2,a heart,the heart,2\n",
    "same.csv": "answer,expected\na lung,the lung\na heart,the lung\n",
    "broken.csv": 'answer,expected\na,b\nc,"[""open"", ""never"\n',
    "empty.csv": "answer,expected\na,\nb,\n",
    "reserved.csv": "answer,expected,semscale_score\na,b,1\n",
    "corpus.txt": " \n\n",
    "one.txt": "just one\n",
    "folder/short.json": json.dumps({"inputs": [{}], "responses": []}),
    "nothing/readme.txt": "",
}


def match(*options, file="good.csv", prediction="answer", reference="expected"):
    columns = ["--prediction", prediction, "--reference", reference]
    usual = {"--method": "cosine", "--out": "matched.csv"}
    remaining = [part for name, value in usual.items() if name not in options for part in (name, value)]
    return ["match", file, *columns, *remaining, *options]


DOCUMENT = ["--method", "cliniqlink-doc"]

BAD = {
    "a missing prediction": (match(prediction="anser"), ["prediction", "'anser'", "did you mean 'answer'"]),
    "a missing reference": (
        match(reference="expcted"),
        ["reference", "did you mean 'expected'", "columns:"],
    ),
    "a missing group": (match("--by", "grp"), ["by", "'grp'"]),
    "one column for both": (match(reference="answer"), ["reference", "another column", "'answer'"]),
    "a reference twice": (match("--reference", "expected"), ["'expected' is named twice"]),
    "a column of the result": (match(file="reserved.csv"), ["'semscale_score'", "rename"]),
    "no references at all": (match(file="empty.csv"), ["reference", "'expected' holds no text"]),
    "a broken list": (match(file="broken.csv"), ["reference", "data row 2", "no valid JSON"]),
    "a broken list below other rows": (
        match("--where", "answer != 'a'", file="broken.csv"),
        ["reference", "data row 2", "no valid JSON"],
    ),
    "no file": (match(file="nowhere.csv"), ["nowhere.csv does not exist"]),
    "an unknown method": (match("--method", "cosin"), ["method must be one of", "did you mean 'cosine'"]),
    "an engine without tokens": (
        match(*DOCUMENT, "--engine", "api"),
        ["engine must be openvino or torch", "'cliniqlink-doc'", "cosine"],
    ),
    "a mode that no guard has": (
        match("--guard", "number=loud"),
        ["--guard number must be off, warn or weigh, got 'loud'"],
    ),
    "too few references for a baseline": (
        match(*DOCUMENT, file="same.csv"),
        ["corpus must have at least 2 different texts", "got 1"],
    ),
    "too small a corpus": (match(*DOCUMENT, "--corpus", "one.txt"), ["--corpus", "got 1"]),
    "an empty corpus": (match(*DOCUMENT, "--corpus", "corpus.txt"), ["corpus", "holds no text"]),
    "no corpus file": (match("--corpus", "no.txt"), ["corpus", "no.txt does not exist"]),
    "no corpus table": (match("--corpus", "no.csv"), ["corpus", "no.csv does not exist"]),
    "a corpus of many columns": (match("--corpus", "good.csv"), ["corpus", "4 columns", "--corpus-column"]),
    "a wrong corpus column": (
        match("--corpus", "good.csv", "--corpus-column", "answr"),
        ["--corpus-column", "did you mean 'answer'"],
    ),
    "a column of a list of lines": (
        match("--corpus", "one.txt", "--corpus-column", "x"),
        ["--corpus-column belongs to a table"],
    ),
    "a corpus column without a corpus": (
        match("--corpus-column", "answer"),
        ["corpus_column 'answer' belongs to a corpus", "--corpus"],
    ),
    "a negative seed": (match("--seed", -1), ["seed must be a whole number", "-1"]),
    "an interval of everything": (match("--interval", 1), ["interval must lie between 0 and 1"]),
    "an output that is the input": (match("--out", "good.csv"), ["out must not be the input"]),
    "an output of another kind": (match("--out", "x.doc"), ["out must end in one of", "x.doc"]),
    "a report of another kind": (match("--report", "x.pdf"), ["report must end in .html"]),
    "no options": (["match", "good.csv"], ["--prediction"]),
    "no folder": (["match", "evaluate", "nowhere"], ["nowhere is not a folder"]),
    "states of tokens in integers": (
        match("--method", "bertscore", "--embedder", "e5-small", "--precision", "turbo"),
        ["--precision turbo was measured for vectors of texts only", "use --precision fast"],
    ),
    "a folder without tasks": (["match", "evaluate", "nothing"], ["nothing holds none of the task files"]),
    "lists of unequal length": (["match", "evaluate", "folder"], ["short.json", "1 inputs and 0 responses"]),
    "an unknown method of evaluation": (
        ["match", "evaluate", "folder", "--method", "x"],
        ["method must be one of"],
    ),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", BAD)
def test_bad_input(semscale, tmp_path, files, case):
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    arguments, messages = BAD[case]
    before = files()
    ended = semscale(*arguments)
    assert ended.code == 2, ended.err
    assert ended.out == ""
    assert ended.err.startswith("semscale: ")
    assert ended.err.count("\n") == 1, ended.err
    for word in messages:
        assert word in ended.err
    assert files() == before


def test_the_base_case_of_bad_input_succeeds(semscale, tmp_path, files):
    (tmp_path / "good.csv").write_text(FILES["good.csv"])
    ended = semscale(*match())
    assert (ended.code, ended.err) == (0, "")
    assert files() == ["good.csv", "matched.csv"]
