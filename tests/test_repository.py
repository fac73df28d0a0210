"""Workflow, issue forms, citation and hooks agree with the project."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from semscale.version import __version__

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
WORKFLOWS = [*sorted((ROOT / ".github" / "workflows").glob("*.yml")), ROOT / "action.yml"]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


def read(path):
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def workflow():
    return read(".github/workflows/tests.yml")


def steps_of(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def matrices(workflow):
    """Return the versions and systems of the tests, and those of the release's tests."""
    release = read(".github/workflows/release.yml")
    return [job["strategy"]["matrix"] for job in (workflow["jobs"]["tests"], release["jobs"]["smoke-test"])]


class TestWorkflow:
    def test_it_runs_every_version_of_python_that_is_promised(self, workflow):
        promised = [
            version
            for line in PROJECT["classifiers"]
            for version in re.findall(r"^Programming Language :: Python :: (3\.\d+)$", line)
        ]
        assert promised
        assert [matrix["python"] for matrix in matrices(workflow)] == [promised, promised]
        assert PROJECT["requires-python"] == f">={promised[0]}"

    def test_it_runs_on_three_systems(self, workflow):
        systems = ["ubuntu-latest", "macos-latest", "windows-latest"]
        assert [matrix["os"] for matrix in matrices(workflow)] == [systems, systems]
        folders = read(".github/workflows/release.yml")["jobs"]["app"]["strategy"]["matrix"]
        assert folders == {"os": systems}

    def test_every_target_of_make_exists(self, workflow):
        lines = [step.get("run", "") for step in steps_of(workflow)]
        asked = {target for line in lines for target in re.findall(r"^make ([\w-]+)", line, re.MULTILINE)}
        there = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert {"demo", "test", "check"} <= asked <= set(there)

    def test_windows_runs_the_lines_of_the_readme(self, workflow):
        block = re.search(r"On Windows.*?```console\n(.*?)```", README, re.DOTALL)[1]
        shown = [line.strip() for line in block.replace("> ", "").replace("&", "\n").splitlines() if line]
        lines = [step["run"] for step in steps_of(workflow) if step.get("if") == "runner.os == 'Windows'"]
        assert len(shown) == 6
        # The runner's launcher would choose another Python.
        assert set(shown) <= {line.replace("python -m venv", "py -m venv") for line in lines}

    def test_it_may_only_read_and_ends_in_time(self, workflow):
        assert workflow["permissions"] == {"contents": "read"}
        assert all(job["timeout-minutes"] <= 60 for job in workflow["jobs"].values())

    def test_workflows_pin_github_actions_to_the_same_commits(self):
        texts = [path.read_text(encoding="utf-8") for path in WORKFLOWS]
        lines = [line for text in texts for line in re.findall("uses: (.*)", text)]
        pinned = re.compile(r"actions/([\w-]+)[\w/-]*@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)")
        pins = [pinned.fullmatch(line) for line in lines]
        assert [line for line, pin in zip(lines, pins, strict=True) if pin is None] == []
        commits = {pin[1]: pin.groups() for pin in pins}
        assert {pin.groups() for pin in pins} == set(commits.values())


class TestRelease:
    def test_only_the_upload_may_prove_its_identity_to_the_index(self):
        release = read(".github/workflows/release.yml")
        granted = {name: job.get("permissions") for name, job in release["jobs"].items()}
        assert release["permissions"] == {"contents": "read"}
        assert granted == {
            "build": None,
            "smoke-test": None,
            "app": None,
            "publish": {"id-token": "write"},
            "attach": {"contents": "write"},
        }
        assert release["jobs"]["publish"]["environment"]["name"] == "pypi"

    def test_nothing_is_published_but_a_tag_that_was_built_and_tried(self):
        jobs = read(".github/workflows/release.yml")["jobs"]
        order = [jobs[name]["needs"] for name in ("smoke-test", "app", "publish", "attach")]
        assert order == ["build", "build", ["smoke-test", "app"], "publish"]
        assert jobs["publish"]["if"] == "github.ref_type == 'tag'"
        (check,) = (step for step in jobs["build"]["steps"] if "check_publishable" in step.get("run", ""))
        assert check["if"] == "github.ref_type == 'tag'"


class TestForms:
    def test_there_is_a_form_per_kind_of_issue(self):
        assert [form.stem for form in FORMS] == ["bug", "feature", "wrong_number"]
        assert read(".github/ISSUE_TEMPLATE/config.yml") == {"blank_issues_enabled": False}

    @pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
    def test_issue_forms_have_the_required_fields(self, form):
        content = read(form)
        assert content["name"]
        assert content["description"]
        fields = [field for field in content["body"] if field["type"] != "markdown"]
        assert {field["type"] for field in fields} <= {"input", "textarea", "dropdown", "checkboxes"}
        ids = [field["id"] for field in fields]
        assert len(set(ids)) == len(ids)
        assert any(field["validations"]["required"] for field in fields)
        assert all(field["attributes"]["label"] for field in fields)

    def test_a_wrong_number_comes_with_its_signature(self):
        fields = {field.get("id"): field for field in read(".github/ISSUE_TEMPLATE/wrong_number.yml")["body"]}
        assert fields["signature"]["validations"] == {"required": True}


class TestCitation:
    def test_it_is_of_this_version_and_licence(self):
        citation = read("CITATION.cff")
        assert citation["version"] == __version__
        assert citation["license"] == PROJECT["license"]

    def test_the_citation_file_has_the_required_fields(self):
        citation = read("CITATION.cff")
        assert citation["cff-version"] == "1.2.0"
        assert citation["type"] == "software"
        for entry in (citation, *citation["references"]):
            assert entry["title"]
            assert all({"name"} == set(who) or {"family-names"} <= set(who) for who in entry["authors"])
        assert citation["message"]

    def test_it_names_the_paper_that_the_readme_names(self):
        (reference,) = read("CITATION.cff")["references"]
        (number,) = re.findall(r"https://arxiv.org/abs/([\d.]+)", README)
        assert [entry["value"] for entry in reference["identifiers"]] == [f"arXiv:{number}"]


def test_pre_commit_takes_the_ruff_of_the_developers():
    (repository,) = read(".pre-commit-config.yaml")["repos"]
    (wanted,) = [entry for entry in PYPROJECT["dependency-groups"]["dev"] if str(entry).startswith("ruff")]
    requirements = [hook["additional_dependencies"] for hook in repository["hooks"] if "ruff" in hook["id"]]
    assert requirements == [[wanted], [wanted]]
