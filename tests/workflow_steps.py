"""Runs the steps of a GitHub workflow or action one by one, as its runner does."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

COMPARED = re.compile(r"(?P<left>[^=!]+?)\s*(?P<how>==|!=)\s*'(?P<right>[^']*)'")
FILES = ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
SEMSCALE = '#!/bin/sh\nexec "{python}" -m semscale "$@"\n'
PYTHON = """#!/bin/sh
case "$*" in "-I -m pip "*) echo "$@" >> "{folder}/installed.txt"; exit 0; esac
exec "{python}" "$@"
"""


class StepRunner:
    """Runner of steps: a checkout, contexts such as ``inputs``, and files that steps write to.

    Args:
        checkout: the working folder of all steps.
        own: the runner's private folder.
        contexts: values by name, such as ``secrets.OPENAI_API_KEY``; a missing secret is empty.
        environment: variables of the job.
    """

    def __init__(
        self, checkout: Path, own: Path, contexts: dict[str, str], environment: dict[str, str]
    ) -> None:
        self.checkout, self.own, self.contexts, self.ended = checkout, own, contexts, {}
        for name, text in {"semscale": SEMSCALE, "python": PYTHON}.items():
            path = own / "bin" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.format(python=sys.executable, folder=own))
            path.chmod(0o755)
        self.files = {name: own / name for name in FILES}
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GITHUB_", "SEMSCALE_HIST"))
        }
        self.environment = inherited | environment | {name: str(path) for name, path in self.files.items()}
        self.environment |= {
            "PATH": f"{own / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(own),
        }

    @property
    def printed(self) -> str:
        """Output of all steps."""
        return "".join(process.stdout + process.stderr for process in self.ended.values())

    @property
    def summary(self) -> str:
        """Summary of the job's page, written by the steps."""
        path = self.files["GITHUB_STEP_SUMMARY"]
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def run(self, steps: list[dict]) -> bool:
        """Run all steps except third-party actions; return whether all of them succeeded."""
        failed = False
        for step in steps:
            asked = step.get("if", "success()")
            if "run" not in step or (failed and "always()" not in asked) or not self.holds(asked):
                continue
            ended = self.run_step(step)
            self.ended[step["name"]] = ended
            failed = failed or ended.returncode != 0
        return not failed

    def run_step(self, step: dict) -> SimpleNamespace:
        own = {name: self.filled(str(value)) for name, value in step.get("env", {}).items()}
        assert "${{" not in step["run"]
        script = self.own / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        variables = self.environment | own
        ended = subprocess.run(
            command,
            cwd=self.checkout,
            env=variables,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.environment |= self.pop_outputs("GITHUB_ENV")
        outputs = self.pop_outputs("GITHUB_OUTPUT")
        self.contexts |= {f"steps.{step.get('id')}.outputs.{name}": value for name, value in outputs.items()}
        return ended

    def pop_outputs(self, name: str) -> dict[str, str]:
        """Read and remove the lines ``NAME=VALUE`` that a step wrote to a file."""
        path = self.files[name]
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        path.write_text("")
        return dict(line.split("=", 1) for line in lines)

    def filled(self, text: str) -> str:
        """Replace the expressions in a value."""
        return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda result: self.value(result[1]), text)

    def value(self, expression: str) -> str:
        first, _, other = expression.partition(" || ")
        if COMPARED.fullmatch(first):
            return str(self.holds(first)).lower()
        result = self.looked_up(first)
        return result if result or not other else other.strip("'")

    def holds(self, condition: str) -> bool:
        return all(self.is_true(term.strip()) for term in condition.split("&&"))

    def is_true(self, term: str) -> bool:
        if term in {"always()", "success()"}:
            return True
        compared = COMPARED.fullmatch(term)
        return (self.looked_up(compared["left"]) == compared["right"]) == (compared["how"] == "==")

    def looked_up(self, name: str) -> str:
        kind, _, rest = name.partition(".")
        if kind == "env":
            return self.environment.get(rest, "")
        if kind == "secrets":
            return self.contexts.get(name, "")
        if hashed := re.fullmatch(r"hashFiles\('(.+)'\)", name):
            return "hash" if (self.checkout / hashed[1]).exists() else ""
        return self.contexts[name]
