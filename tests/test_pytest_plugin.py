"""The plugin in separate runs of pytest, like a user's; the real model embeds the texts."""

import json
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from semscale.embedding import loading
from semscale.history.items import Output
from semscale.snapshots.compare_outputs import SnapshotMeter, compare_outputs
from semscale.snapshots.fixture import explain_failure
from semscale.snapshots.settings import settle
from semscale.weights.folders import cache_root

CACHE = cache_root()  # read before pytester moves the home folder

APPROVED = "You correctly explain that water enters the cell by osmosis and makes it burst."
REWORDED = "You rightly say that by osmosis, water goes into the cell and makes it burst."
NEGATED = "You do not correctly explain that water enters the cell by osmosis and makes it burst."
OTHER = "The bank will ship your new credit card within three working days."

MODULE = """
import pytest
SAID = {said!r}

{marker}
def test_said(semantic_snapshot):
    semantic_snapshot(SAID)
"""


@pytest.fixture(scope="module")
def loaded():
    """Load the model once: runs in this process unload their modules, and NumPy cannot load twice."""
    meter = SnapshotMeter()
    settings = settle({"min_bertscore_f1": 0.5, "min_cosine": 0.5})
    explain_failure(compare_outputs([Output("A.")], [Output("B.")], settings, meter), meter)
    import_module("semscale.snapshots.fixture")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "load_token_encoder", cache(loading.load_token_encoder))
        yield


@pytest.fixture
def project(loaded, pytester, monkeypatch):
    """Return a folder with one test module, whose model returns a chosen text."""
    monkeypatch.setenv("SEMSCALE_CACHE", str(CACHE))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p semscale.pytest_plugin -p no:cacheprovider")
    return Project(pytester)


class Project:
    def __init__(self, pytester):
        self.pytester = pytester
        self.file = pytester.path / "__semantic_snapshots__" / "test_tutor.json"

    def run(self, said, *arguments, marker=""):
        self.pytester.makepyfile(test_tutor=MODULE.format(said=said, marker=marker))
        return self.pytester.runpytest_inprocess(*arguments)

    def approve(self, said):
        self.run(said, "--semantic-approve").assert_outcomes(passed=1)

    def snapshots(self):
        return json.loads(self.file.read_text(encoding="utf-8"))["snapshots"]


def test_an_unapproved_snapshot_fails_with_the_approving_command(project):
    result = project.run(APPROVED)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [f"E*{APPROVED}", "E *  pytest test_tutor.py::test_said --semantic-approve"], consecutive=False
    )
    assert not project.file.exists()


@pytest.mark.exhaustive
def test_half_of_the_content_may_not_be_lost(project):
    project.approve(APPROVED)
    result = project.run("You correctly explain that water enters.")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *content was lost: 0.4*, max_lost_content is 0.2"])
    project.run(REWORDED).assert_outcomes(passed=1)


def test_an_approved_snapshot_passes_and_is_in_a_reviewable_file(project):
    result = project.run([{"text": APPROVED, "credits": 1.0}, "A\nB"], "--semantic-approve")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*semantic snapshots*", "approved: test_tutor.py::test_said '1'"])
    entry = project.snapshots()["test_said"]["1"]
    assert entry["outputs"] == [{"credits": 1.0, "text": APPROVED}, {"text": ["A", "B"]}]
    assert entry["measured_by"]["model"].startswith("all-MiniLM-L6-v2#")
    again = project.run([{"text": APPROVED, "credits": 1.0}, "A\nB"])
    again.assert_outcomes(passed=1)
    again.stdout.no_fnmatch_line("*semantic snapshots*")


@pytest.mark.exhaustive
def test_rewordings_pass_and_stay_out_of_the_file(project):
    project.approve(APPROVED)
    before = project.file.read_bytes()
    project.run(REWORDED).assert_outcomes(passed=1)
    project.run(REWORDED, "--semantic-approve").assert_outcomes(passed=1)
    assert project.file.read_bytes() == before


@pytest.mark.exhaustive
def test_a_negation_fails_and_says_why_until_it_is_approved(project):
    project.approve(APPROVED)
    result = project.run(NEGATED)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E *snapshot '1': its meaning differs from the approved text.",
            "E *a contradiction in nearly the same words (without it, the match is 0.9*)",
            'E *guard negation: The prediction says "not correctly", the reference "correctly".',
            "E *approved: You [[]-correctly-] explain*",
            "E *now: *You do {+not+} {+correctly+} explain*",
            "E *no similar word in the approved text: not (nearest 0.*)",
            "E *pytest test_tutor.py::test_said --semantic-approve",
        ]
    )
    project.approve(NEGATED)
    assert project.snapshots()["test_said"]["1"]["outputs"] == [{"text": NEGATED}]
    project.run(NEGATED).assert_outcomes(passed=1)


@pytest.mark.exhaustive
def test_a_different_text_fails_with_its_score_and_the_threshold(project):
    project.approve(APPROVED)
    result = project.run(OTHER)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *match 0.0*, min_match is 0.45", "E *no similar word in the new text: *"])


def test_the_order_of_a_list_does_not_matter_and_a_missing_or_extra_output_does(project):
    first, second, third = APPROVED, OTHER, "Name two reasons and give an example of each."
    project.approve([first, second, third])
    project.run([third, first, second]).assert_outcomes(passed=1)
    dropped = project.run([third, first])
    dropped.assert_outcomes(failed=1)
    dropped.stdout.fnmatch_lines(
        ["E *without a partner: 1, max_unpaired is 0", "E *missing: approved output 2 of 3", f"E *{second}"]
    )
    extra = project.run([first, second, "Nothing else is missing here.", third])
    extra.stdout.fnmatch_lines(["E *extra: now output 3 of 4", "E *Nothing else is missing here."])
    allowed = "@pytest.mark.semantic(max_unpaired=1)"
    project.run([third, first], marker=allowed).assert_outcomes(passed=1)


@pytest.mark.exhaustive
def test_markers_and_the_ini_file_set_thresholds(project):
    project.approve(APPROVED)
    strict = project.run(REWORDED, "--strict-markers", marker="@pytest.mark.semantic(min_match=0.99)")
    strict.assert_outcomes(failed=1)
    strict.stdout.fnmatch_lines(["E *match 0.*, min_match is 0.99"])
    both = "@pytest.mark.semantic(min_bertscore_f1=0.99, min_cosine=0.99)"
    result = project.run(REWORDED, marker=both)
    result.stdout.fnmatch_lines(
        ["E *bertscore_f1 0.*, min_bertscore_f1 is 0.99", "E *cosine 0.*, min_cosine is 0.99"]
    )
    project.pytester.makeini("[pytest]\nsemantic_min_match = 0.98\n")
    project.run(REWORDED).stdout.fnmatch_lines(["E *min_match is 0.98"])
    project.run(REWORDED, marker="@pytest.mark.semantic(min_match=0.2)").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        (
            "@pytest.mark.semantic(min_macth=0.5)",
            "*ERROR: test_tutor.py::test_said: marker semantic: *'min_macth'; did you*",
        ),
        ("@pytest.mark.semantic(min_match=1.5)", "*ERROR: *min_match must be between 0 and 1, got 1.5"),
        ("@pytest.mark.semantic(0.5)", "*ERROR: *takes settings by name, got (0.5,)"),
    ],
)
def test_a_wrong_marker_stops_before_any_test(project, marker, said):
    result = project.run(APPROVED, marker=marker)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])


def test_a_wrong_ini_setting_stops_before_any_test(project):
    project.pytester.makeini("[pytest]\nsemantic_guards = maybe\n")
    result = project.run(APPROVED)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: the ini file: guards must be one of weigh, fail, warn, off, got 'maybe'"]
    )


@pytest.mark.parametrize(
    ("ini", "arguments"),
    [
        ("semantic_min_macth = 0.6", ()),
        ("", ("-o", "semantic_min_macth=0.6")),
        ("semantic_min_macth =", ()),
    ],
)
def test_an_unknown_ini_setting_stops_before_any_test_and_names_the_nearest(project, ini, arguments):
    project.pytester.makeini(f"[pytest]\n{ini}\n")
    result = project.run(APPROVED, *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: the ini file: *got 'min_macth'; did you mean 'min_match'?"])


def test_an_ini_setting_of_a_different_plugin_is_ignored(project):
    other = "def pytest_addoption(parser):\n    parser.addini('semantic_release', 'of another plugin')\n"
    project.pytester.makeconftest(other)
    project.pytester.makeini("[pytest]\nsemantic_release = 1\n")
    result = project.run(APPROVED, "--semantic-approve", "-W", "error")
    result.assert_outcomes(passed=1)


def test_the_ini_file_allows_differences_of_numbers(project):
    project.approve([{"text": APPROVED, "credits": 1.0}])
    now = [{"text": APPROVED, "credits": 0.5}]
    project.run(now).assert_outcomes(failed=1)
    project.pytester.makeini("[pytest]\nsemantic_max_credits_difference = 0.5\n")
    project.run(now, "--strict-config").assert_outcomes(passed=1)
    project.pytester.makeini("[pytest]\nsemantic_max_credits_difference = much\n")
    wrong = project.run(now)
    assert wrong.ret == pytest.ExitCode.USAGE_ERROR
    wrong.stderr.fnmatch_lines(["ERROR: the ini file: max_credits_difference must be *, got 'much'"])


def test_the_ini_file_states_the_better_direction_of_numbers(project):
    project.approve([{"text": APPROVED, "cost": 1.0}])
    now = [{"text": APPROVED, "cost": 0.5}]
    project.run(now).assert_outcomes(failed=1)
    project.pytester.makeini("[pytest]\nsemantic_cost_direction = lower\n")
    project.run(now, "--strict-config").assert_outcomes(passed=1)
    project.pytester.makeini("[pytest]\nsemantic_cost_direction = less\n")
    wrong = project.run(now)
    assert wrong.ret == pytest.ExitCode.USAGE_ERROR
    wrong.stderr.fnmatch_lines(["ERROR: the ini file: cost_direction must be one of *, got 'less'"])


ASYNCHRONOUS = """
import asyncio

async def generate(question):
    await asyncio.sleep(0)
    return f"An answer to {question}."

def test_one(semantic_snapshot):
    semantic_snapshot(generate("A"))

def test_several(semantic_snapshot):
    semantic_snapshot([generate("A"), generate("B")])

def test_within_a_loop(semantic_snapshot):
    async def test():
        semantic_snapshot(await generate("A"))
        semantic_snapshot(generate("A"))

    asyncio.run(test())
"""


def test_outputs_of_an_async_program_are_awaited(project):
    project.pytester.makepyfile(test_tutor=ASYNCHRONOUS)
    result = project.pytester.runpytest_inprocess("--semantic-approve", "-W", "error")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["E *InputError: in an asynchronous test, await the output: *"])
    answer, other = ({"text": f"An answer to {name}."} for name in "AB")
    approved = {test: entry["1"]["outputs"] for test, entry in project.snapshots().items()}
    assert approved == {
        "test_one": [answer], "test_several": [answer, other], "test_within_a_loop": [answer],
    }  # fmt: skip


def test_a_damaged_file_is_named_and_never_overwritten(project):
    project.approve(APPROVED)
    project.file.write_text("<<<<<<< HEAD\n{}", encoding="utf-8")
    for arguments in ((), ("--semantic-approve",)):
        result = project.run(APPROVED, *arguments)
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["E *test_tutor.json is damaged (*take it from version control*"])
    assert project.file.read_text(encoding="utf-8") == "<<<<<<< HEAD\n{}"


@pytest.mark.exhaustive
def test_a_snapshot_approved_with_a_different_model_can_be_renewed(project):
    project.approve(APPROVED)
    written = project.file.read_text(encoding="utf-8")
    other = written.replace("all-MiniLM-L6-v2#", "my-model#")
    project.file.write_text(other, encoding="utf-8")
    result = project.run(REWORDED)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["approved under other settings: *::test_said 1: model my-model#*, now all-MiniLM*"]
    )
    project.run(REWORDED, "--semantic-approve").assert_outcomes(passed=1)
    assert project.file.read_text(encoding="utf-8") == written  # the text stays, the model is the new one


SEVERAL = """
import pytest

@pytest.mark.parametrize("word", ["red", "blue"])
def test_each(semantic_snapshot, word):
    semantic_snapshot(f"It is {word}.")
    semantic_snapshot("Good.", "named")
    semantic_snapshot("Bad.")

class TestClass:
    def test_in_class(self, semantic_snapshot):
        semantic_snapshot("Fine.")
"""


def test_tests_and_names_have_snapshots_and_unused_snapshots_are_reported(project):
    run = project.pytester.runpytest_inprocess
    project.pytester.makepyfile(test_tutor=SEVERAL)
    run("--semantic-approve").assert_outcomes(passed=3)
    names = {test: sorted(named) for test, named in project.snapshots().items()}
    names_of_test = ["1", "2", "named"]
    assert names == {
        "TestClass::test_in_class": ["1"],
        "test_each[blue]": names_of_test,
        "test_each[red]": names_of_test,
    }
    renamed = SEVERAL.replace('"blue"', '"green"').replace('    semantic_snapshot("Bad.")\n', "")
    project.pytester.makepyfile(test_tutor=renamed)
    run("-k", "red or class").stdout.no_fnmatch_line("unused:*")
    run("test_tutor.py::TestClass").stdout.no_fnmatch_line("unused:*")
    whole = run()
    whole.assert_outcomes(passed=2, failed=1)
    shown = [line for line in whole.outlines if line.startswith("unused")]
    file = "__semantic_snapshots__/test_tutor.json"
    assert shown == [
        f"unused: {file}: test_each[[]blue] '1', '2', 'named'".replace("[[]", "["),
        f"unused: {file}: test_each[red] '2'",
    ]
    run("--semantic-prune").stdout.fnmatch_lines(["removed: *blue*", "removed: *red* '2'"])
    assert sorted(project.snapshots()) == ["TestClass::test_in_class", "test_each[red]"]


def test_a_name_is_used_once_in_a_test(project):
    module = """
def test_it(semantic_snapshot):
    semantic_snapshot("A", "x")
    semantic_snapshot("B", "x")
"""
    project.pytester.makepyfile(test_tutor=module)
    result = project.pytester.runpytest_inprocess("--semantic-approve")
    result.stdout.fnmatch_lines(["E *InputError: name must differ between the snapshots of a test*"])


def test_nothing_that_says_nothing_is_approved(project):
    result = project.run(["Good.", " "], "--semantic-approve")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *InputError: *output 2 of 2 has no text*"])
    assert not project.file.exists()


@pytest.mark.exhaustive
def test_a_run_without_snapshots_or_without_the_plugin_works(project, monkeypatch):
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    monkeypatch.delenv("PYTEST_ADDOPTS")
    module = """
import sys

def test_it():
    assert not {"numpy", "polars", "openvino", "yaml"} & set(sys.modules)
"""
    project.pytester.makepyfile(test_plain=module)
    for arguments in ((), ("-p", "no:semscale")):
        result = project.pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)
        result.assert_outcomes(passed=1)


@pytest.mark.exhaustive
def test_the_document_shows_the_printed_failure(project):
    document = (Path(__file__).parents[1] / "docs" / "pytest.md").read_text(encoding="utf-8")
    module, shown = (
        re.search(rf"<!-- checked: {name} -->\n```\w+\n(.*?)```", document, re.DOTALL)[1]
        for name in ("test", "failure")
    )
    tutor = "def feedback(answer):\n    return {!r}\n"
    run = project.pytester.runpytest_inprocess
    for said, arguments in ((APPROVED, ["--semantic-approve"]), (REWORDED, [])):
        assert said == APPROVED or said in document
        project.pytester.makepyfile(test_tutor=module, tutor=tutor.format(said))
        run(*arguments).assert_outcomes(passed=1)
    project.pytester.makepyfile(tutor=tutor.format(NEGATED))
    failed = run()
    printed = [line.removeprefix("E").strip() for line in failed.outlines if line.startswith("E ")]
    lines = [line.strip() for line in shown.splitlines()]
    assert [line.removeprefix("AssertionError: ") for line in printed] == lines
