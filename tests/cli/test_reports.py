"""``--report`` more than once: a file for each, with one folder of pictures."""

import json


def test_each_report_is_written_and_listed(rate, seven_answers, tmp_path):
    files = ("page.html", "notes.md", "more.md", "book.xlsx")
    ended = rate(*(part for name in files for part in ("--report", name)))
    assert ended.code == 0, ended.err
    written = [line for line in ended.out.splitlines() if line.startswith(("report: ", "figures: "))]
    assert written == [*(f"report: {name}" for name in files), "figures: notes.files"]
    assert all((tmp_path / name).stat().st_size for name in files)
    for name in ("notes.md", "more.md"):
        assert "](notes.files/" in (tmp_path / name).read_text(encoding="utf-8")
    assert not (tmp_path / "more.files").exists()


def test_json_lists_the_reports(rate, seven_answers):
    content = json.loads(rate("--report", "a.html", "--report", "b.html", "--json").out)
    assert content["report"] == ["a.html", "b.html"]
    assert json.loads(rate("--json").out)["report"] == []


def test_each_report_is_checked_before_work(rate, seven_answers, tmp_path):
    ended = rate("--report", "a.html", "--report", "b.pdf")
    assert ended.code == 2
    assert "--report must end in .html" in ended.err
    assert "got 'b.pdf'" in ended.err
    ended = rate("--report", "a.html", "--report", "a.html")
    assert ended.code == 2
    assert "one file for each output, got 'a.html' for two" in ended.err
    assert not (tmp_path / "a.html").exists()
