"""The example workflow and the action for the drift gate, run step by step."""

import json
import re
import shutil
import subprocess
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
import yaml
from tests.support.local_servers import serving
from tests.workflow_steps import StepRunner

from semscale.cli.main import main

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "drift"
WORKFLOW = yaml.safe_load((EXAMPLES / "github-workflow.yml").read_text(encoding="utf-8"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
JOB = WORKFLOW["jobs"]["gate"]
STEPS = {"workflow": JOB["steps"], "action": ACTION["runs"]["steps"]}
KEY = "sk-only-for-this-test"
TOKEN = "ghs_only_for_this_test"
ASK = """
import os, shutil, sys
assert os.environ["OPENAI_API_KEY"]
shutil.copy("answers.jsonl", sys.argv[sys.argv.index("--out") + 1])
"""
GITHUB = {
    "GITHUB_SERVER_URL": "https://github.example",
    "GITHUB_REPOSITORY": "ann/tutor",
    "GITHUB_RUN_ID": "7",
    "GITHUB_WORKFLOW": "Drift",
    "GITHUB_JOB": "gate",
    "GITHUB_TOKEN": TOKEN,
}
steps_run = pytest.mark.skipif(
    sys.platform == "win32" or not all(map(shutil.which, ("bash", "git", "jq"))),
    reason="the steps are written for bash, git and jq, which runners with Ubuntu have",
)


@pytest.fixture(scope="module")
def approved(tmp_path_factory):
    """Return a history with the approved baseline and a rerun of it."""
    path = tmp_path_factory.mktemp("approved") / "history.sqlite"
    history = ["--history", str(path)]
    base = [str(EXAMPLES / "baseline.jsonl"), "--model", "model-a", "--dataset", "feedback", *history]
    assert main(["drift", "record", *base]) == 0
    assert main(["drift", "approve", "latest", "--approved-by", "Ann", "--why", "read them", *history]) == 0
    rerun = [str(EXAMPLES / "rerun.jsonl"), "--model", "model-a", "--rerun-of", "baseline", *history]
    assert main(["drift", "record", *rerun]) == 0
    return path


@pytest.fixture
def checkout(approved, tmp_path):
    """Return a repository with the approved baseline and recorded answers; each commit adds to it."""
    folder = tmp_path / "checkout"
    (folder / "drift").mkdir(parents=True)
    shutil.copy(approved, folder / "drift" / "history.sqlite")
    shutil.copy(EXAMPLES / "gate.yaml", folder / "drift")
    (folder / "ask_model.py").write_text(ASK)
    shutil.copy(EXAMPLES / "candidate_good.jsonl", folder / "drift" / "candidate.jsonl")
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def git(folder, *arguments):
    named = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    subprocess.run(["git", *named, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "A change")


class TestFiles:
    @pytest.mark.parametrize("name", STEPS)
    def test_scripts_contain_no_expressions(self, name):
        scripts = [step["run"] for step in STEPS[name] if "run" in step]
        assert scripts
        assert [script for script in scripts if "${{" in script] == []

    @pytest.mark.parametrize("path", ["examples/drift/github-workflow.yml", "action.yml"])
    def test_external_actions_are_pinned_to_a_commit(self, path):
        used = re.findall(r"uses: (.*)", (ROOT / path).read_text(encoding="utf-8"))
        assert used
        pinned = re.compile(r"actions/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
        assert [entry for entry in used if not pinned.fullmatch(entry)] == []

    def test_both_pin_the_same_commits(self):
        texts = [(EXAMPLES / "github-workflow.yml").read_text(), (ROOT / "action.yml").read_text()]
        commits = dict(re.findall(r"uses: actions/([\w-]+)[\w/-]*@(\w+)", "\n".join(texts)))
        pins = set(re.findall(r"uses: actions/([\w-]+)[\w/-]*@(\w+)", "\n".join(texts)))
        assert pins == set(commits.items())

    def test_the_workflow_has_read_permission_and_fails_if_undecided(self):
        assert WORKFLOW["permissions"] == {"contents": "read"}
        (gate,) = (step["run"] for step in JOB["steps"] if step.get("name") == "Gate")
        assert "--undecided fail" in gate

    def test_the_readme_has_the_inputs_of_the_action_with_their_defaults(self):
        readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
        shown = dict(re.findall(r"^\| `([\w-]+)` \| ([^|]*) \|", readme, re.MULTILINE))
        assert set(shown) == set(ACTION["inputs"])
        inputs_passed = {
            name: f"`{entry['default']}`" for name, entry in ACTION["inputs"].items() if "default" in entry
        }
        assert {name: shown[name] for name in inputs_passed} == inputs_passed

    def test_every_input_of_the_action_is_described_and_used(self):
        text = (ROOT / "action.yml").read_text(encoding="utf-8")
        used = set(re.findall(r"inputs\.([\w-]+)", text))
        assert used == set(ACTION["inputs"])
        assert all(entry["description"] for entry in ACTION["inputs"].values())
        assert ACTION["inputs"]["undecided"]["default"] == "fail"


@steps_run
class TestWorkflow:
    def run(self, checkout, tmp_path, key=""):
        contexts = {"secrets.OPENAI_API_KEY": key}
        runner = StepRunner(checkout, tmp_path / "runner", contexts, GITHUB)
        runner.environment |= {name: runner.filled(str(value)) for name, value in JOB["env"].items()}
        return runner, runner.run(JOB["steps"])

    def test_with_a_key_it_asks_the_model_and_stores_the_run(self, checkout, tmp_path):
        shutil.copy(EXAMPLES / "candidate_good.jsonl", checkout / "answers.jsonl")
        runner, passed = self.run(checkout, tmp_path, KEY)
        assert passed, runner.printed
        ran = ["Install", "Name the committed history", "Ask the model", "Record the answers", "Gate"]
        assert list(runner.ended) == ran
        assert KEY not in runner.printed
        assert "Drift gate passed" in runner.summary
        assert {"drift.html", "drift.xml"} <= {path.name for path in checkout.iterdir()}
        assert "semscale[postgres]" in (tmp_path / "runner" / "installed.txt").read_text()

        # The next night finds the run of this one in the cached history, and asks again.
        shutil.copy(EXAMPLES / "candidate_bad.jsonl", checkout / "answers.jsonl")
        runner, passed = self.run(checkout, tmp_path, KEY)
        assert not passed
        assert [name for name, ended in runner.ended.items() if ended.returncode] == ["Gate"]
        assert list(runner.ended) == ran
        listed = subprocess.run(
            ["semscale", "drift", "history", "--history", "drift/history.sqlite", "--json"],
            cwd=checkout, env=runner.environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        (feedback,) = json.loads(listed.stdout)["datasets"]
        assert [entry["outcome"] for entry in feedback["comparisons"]] == ["pass", "fail"]

    def test_without_a_key_it_gates_the_answers_that_were_committed(self, checkout, tmp_path):
        shutil.copy(EXAMPLES / "candidate_bad.jsonl", checkout / "drift" / "candidate.jsonl")
        commit(checkout)
        runner, passed = self.run(checkout, tmp_path)
        assert not passed
        assert "Ask the model" not in runner.ended
        assert runner.ended["Gate"].returncode == 1, runner.printed
        assert "Drift gate failed" in runner.summary

    def test_without_a_key_answers_from_before_the_change_are_refused(self, checkout, tmp_path):
        (checkout / "prompts").mkdir()
        (checkout / "prompts" / "feedback.txt").write_text("Be kind.")
        commit(checkout)
        runner, passed = self.run(checkout, tmp_path)
        assert not passed
        ended = runner.ended["Take the answers that were committed with the change"]
        assert ended.returncode == 1
        assert ended.stdout.startswith("::error::There is no key, and drift/candidate.jsonl is as it was")
        assert "Gate" not in runner.ended


class GitHub(BaseHTTPRequestHandler):
    """A stand-in for GitHub's interface to the comments of pull request 12."""

    comments: list
    status = 200

    def do_GET(self):
        page = int(re.search(r"[?&]page=(\d+)", self.path)[1])
        self.answer(self.comments[(page - 1) * 100 : page * 100])

    def do_POST(self):
        if self.status == 200:
            user = {"login": "github-actions[bot]"}
            self.comments.append({"id": len(self.comments) + 1, "user": user} | self.asked())
        self.answer({})

    def do_PATCH(self):
        number = int(self.path.rpartition("/")[2])
        self.comments[number - 1] |= self.asked()
        self.answer({})

    def asked(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def answer(self, content):
        assert self.headers["Authorization"] == f"Bearer {TOKEN}"
        assert re.match(r"/repos/ann/tutor/issues/(12/comments|comments/\d+)", self.path)
        raw = json.dumps(content).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_):
        pass


@pytest.fixture
def event(tmp_path):
    path = tmp_path / "event.json"
    path.write_text(json.dumps({"pull_request": {"number": 12, "title": "`touch pwned`"}}))
    return path


def environment(server, event):
    return GITHUB | {
        "GITHUB_API_URL": f"http://127.0.0.1:{server.server_port}",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_ACTION_PATH": str(ROOT),
    }


@steps_run
class TestAction:
    def run(self, checkout, tmp_path, settings, **inputs):
        inputs_passed = {
            name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()
        } | inputs
        contexts = {f"inputs.{name}": value for name, value in inputs_passed.items()}
        contexts |= {"github.event_name": "pull_request", "github.token": TOKEN}
        runner = StepRunner(checkout, tmp_path / "runner", contexts, settings)
        return runner, runner.run(STEPS["action"])

    def test_it_gates_and_keeps_a_single_comment_up_to_date(self, checkout, tmp_path, event):
        comments = []
        shutil.copytree(EXAMPLES, checkout / "new")
        inputs_passed = {"model": "model-b", "dataset": "feedback", "history": "drift/history.sqlite"}
        with serving(GitHub, comments=comments) as server:
            settings = environment(server, event)
            bad = {"candidate": "new/candidate_bad.jsonl", "gate": "drift/gate.yaml"}
            runner, passed = self.run(checkout, tmp_path, settings, **inputs_passed, **bad)
            assert not passed
            steps = ["Install", "Find the history", "Gate", "Comment on the pull request", "Decide"]
            assert list(runner.ended) == steps
            assert runner.contexts["steps.gate.outputs.exit-code"] == "1"
            assert "Drift gate failed" in runner.summary
            assert "Drift gate failed" in comments[0]["body"]
            assert (checkout / "drift.html").exists()
            assert TOKEN not in runner.printed

            runner, passed = self.run(
                checkout, tmp_path, settings, **inputs_passed, candidate="new/candidate_good.jsonl"
            )
            assert passed, runner.printed
            (comment,) = comments
            assert "Drift gate passed" in comment["body"]
            assert comment["body"].endswith("[Job](https://github.example/ann/tutor/actions/runs/7)\n")

            # A candidate that is a command is no command, and what was said before no longer stands.
            hostile = {
                "candidate": '$(touch pwned)"; touch pwned; `touch pwned` #',
                "model": "x; touch pwned",
            }
            runner, passed = self.run(checkout, tmp_path, settings, **inputs_passed | hostile)
            assert not passed
            assert runner.contexts["steps.gate.outputs.exit-code"] == "2"
            assert not list(tmp_path.rglob("pwned"))
            (comment,) = comments
            assert "Drift gate: no decision" in comment["body"]

    def test_its_summary_names_a_command_that_approves_the_uploaded_run(self, checkout, tmp_path):
        shutil.copytree(EXAMPLES, checkout / "new")
        inputs_passed = {
            "history": "drift/history.sqlite",
            "candidate": "new/candidate_bad.jsonl",
            "comment": "false",
        }
        runner, passed = self.run(checkout, tmp_path, GITHUB, **inputs_passed)
        assert not passed
        uploads = {
            step["with"]["name"]: step["with"]["path"]
            for step in STEPS["action"]
            if "upload" in step.get("name", "").lower()
        }
        assert runner.filled(uploads["${{ inputs.artifact }}-history"]) == "drift/history.sqlite"
        assert "download the artifact `drift-history` of this job" in runner.summary
        assert "commit the file as `drift/history.sqlite`" in runner.summary
        # As a user does with the downloaded file:
        (command,) = re.findall(r"^    (semscale drift approve .*)$", runner.summary, re.MULTILINE)
        folder = tmp_path / "downloaded"
        folder.mkdir()
        shutil.copy(checkout / "drift" / "history.sqlite", folder / "history.sqlite")
        ended = subprocess.run(
            ["bash", "-c", command.replace("NAME", "Ann").replace("REASON", "meant")],
            cwd=folder, env=runner.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        assert runner.contexts["steps.gate.outputs.candidate"][:8] in ended.stdout

    def test_earlier_runs_are_restored_until_a_new_baseline_is_committed(self, checkout, tmp_path):
        (find,) = (entry for entry in STEPS["action"] if entry.get("id") == "history")
        keys = []
        for content in ("one", "one", "two"):
            (checkout / "drift" / "history.sqlite").write_text(content)
            contexts = {"inputs.history": "drift/history.sqlite"}
            runner = StepRunner(checkout, tmp_path / "runner", contexts, GITHUB)
            assert runner.run([find])
            keys.append(runner.contexts["steps.history.outputs.committed"])
        assert keys[0] == keys[1] != keys[2]
        runner = StepRunner(checkout, tmp_path / "runner", {"inputs.history": "postgresql://u@h/d"}, GITHUB)
        assert runner.run([find])
        assert "steps.history.outputs.file" not in runner.contexts

    @pytest.mark.parametrize(
        ("package", "installed"), [("", f"{ROOT}[postgres]"), ("semscale==1.2", "semscale==1.2")]
    )
    def test_it_installs_the_commit_that_was_named(self, tmp_path, package, installed):
        runner = StepRunner(
            tmp_path, tmp_path, {"inputs.package": package}, {"GITHUB_ACTION_PATH": str(ROOT)}
        )
        (install,) = (entry for entry in STEPS["action"] if entry.get("name") == "Install")
        assert runner.run([install])
        assert (tmp_path / "installed.txt").read_text() == f"-I -m pip install -- {installed}\n"

    def test_it_comments_on_nothing_but_pull_requests(self):
        (step,) = (entry for entry in STEPS["action"] if entry.get("name") == "Comment on the pull request")
        assert step["if"] == "github.event_name == 'pull_request' && inputs.comment == 'true'"


class TestComment:
    def run(self, tmp_path, event, server, text="## Drift gate passed"):
        summary = tmp_path / "summary.md"
        summary.write_text(text, encoding="utf-8")
        script = ROOT / ".github" / "pull_request_comment.py"
        ended = subprocess.run(
            [sys.executable, script, summary], env=environment(server, event) | {"ARTIFACT": "drift"},
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert (ended.returncode, ended.stderr) == (0, "")
        assert TOKEN not in ended.stdout
        return ended.stdout

    def test_comments_by_other_users_are_left_alone_even_with_the_mark(self, tmp_path, event):
        comments = []
        with serving(GitHub, comments=comments) as server:
            self.run(tmp_path, event, server)
            comments[0]["user"] = {"login": "mallory"}
            stolen = dict(comments[0])
            # Ours is the 102nd, on the second page.
            comments += [{"id": n, "user": {"login": "ann"}, "body": "Hi"} for n in range(2, 102)]
            self.run(tmp_path, event, server, "## Drift gate failed")
            printed = self.run(tmp_path, event, server, "## Drift gate undecided")
        assert printed == "The summary is on the pull request.\n"
        assert comments[0] == stolen
        assert len(comments) == 102
        assert "Drift gate undecided" in comments[101]["body"]

    @pytest.mark.parametrize(
        ("status", "printed"),
        [(403, "::notice title=Drift gate::No comment was written: this job's token may not write"),
         (404, "::notice title=Drift gate::No comment"),
         (500, "::warning title=Drift gate::No comment was written: GitHub answered 500.")],
    )  # fmt: skip
    def test_an_unwritable_comment_prints_a_single_line(self, tmp_path, event, status, printed):
        with serving(GitHub, comments=[], status=status) as server:
            assert self.run(tmp_path, event, server).startswith(printed)

    def test_an_unreachable_server_prints_a_single_line(self, tmp_path, event):
        with serving(GitHub, comments=[]) as server:
            gone = server
        printed = self.run(tmp_path, event, gone)
        assert printed == "::warning title=Drift gate::No comment was written: GitHub could not be reached.\n"

    def test_long_comments_are_shortened(self, tmp_path, event):
        comments = []
        with serving(GitHub, comments=comments) as server:
            self.run(tmp_path, event, server, "é" * 70_000)
        assert len(comments[0]["body"]) < 65_536
        assert "(shortened; the report has everything)" in comments[0]["body"]
