"""Puts the drift gate's summary on the pull request: one comment, which later runs update.

``python pull_request_comment.py SUMMARY`` reads what GitHub Actions puts into the environment, and
``ARTIFACT``, which tells several gates of one job apart. What fails is a warning: the gate decides, and not
its comment.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

AUTHOR = "github-actions[bot]"
LONGEST = 60_000  # characters; GitHub refuses more than 65,536
PER_PAGE = 100
MOST_PAGES = 50
MAY_ONLY_READ = (403, 404)
SECONDS = 30


def main(summary: Path) -> str:
    """Write or update the comment; return a line for the job's log."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    number = int(event["pull_request"]["number"])
    try:
        write_comment(number, comment_body(summary))
    except HTTPError as error:
        if error.code in MAY_ONLY_READ:
            return (
                "::notice title=Drift gate::No comment was written: this job's token may not write to the "
                "pull request, as in one from a fork. The summary is on the job's page."
            )
        return f"::warning title=Drift gate::No comment was written: GitHub answered {error.code}."
    except (URLError, TimeoutError):
        return "::warning title=Drift gate::No comment was written: GitHub could not be reached."
    return "The summary is on the pull request."


def comment_body(summary: Path) -> str:
    """Lay the comment out: the mark that finds it again, the summary, and a link to the job."""
    there = summary.read_text(encoding="utf-8") if summary.exists() else ""
    said = (
        there.strip() or "## Drift gate: no decision\n\nThe gate could not run. The log of the job says why."
    )
    if len(said) > LONGEST:
        said = f"{said[:LONGEST]}\n\n(shortened; the report has everything)"
    return f"{mark()}\n{said}\n\n[Job]({job()})\n"


def mark() -> str:
    """Name this gate, by workflow, job and artifact, in a comment that nobody sees."""
    named = "/".join(os.environ.get(name, "") for name in ("GITHUB_WORKFLOW", "GITHUB_JOB", "ARTIFACT"))
    return f"<!-- semscale drift gate {hashlib.sha256(named.encode()).hexdigest()[:16]} -->"


def job() -> str:
    """Return the address of the job's page."""
    server, repository, run = (
        os.environ[name] for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    )
    return f"{server}/{repository}/actions/runs/{run}"


def write_comment(number: int, body: str) -> None:
    """Update the comment of an earlier run, or write the first one."""
    for comment in comments(number):
        # A comment of anybody else may carry the mark, too.
        if comment["user"]["login"] == AUTHOR and comment["body"].startswith(mark()):
            ask("PATCH", f"issues/comments/{int(comment['id'])}", {"body": body})
            return
    ask("POST", f"issues/{number}/comments", {"body": body})


def comments(number: int) -> Iterator[dict[str, Any]]:
    """Yield the pull request's comments, the oldest first."""
    for page in range(1, MOST_PAGES + 1):
        found = ask("GET", f"issues/{number}/comments?per_page={PER_PAGE}&page={page}")
        yield from found
        if len(found) < PER_PAGE:
            return


def ask(method: str, path: str, content: dict[str, str] | None = None) -> Any:
    """Ask GitHub's interface about this repository."""
    address = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/{path}"
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    body = None if content is None else json.dumps(content).encode()
    with urlopen(Request(address, body, headers, method=method), timeout=SECONDS) as answer:
        return json.load(answer)


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))  # noqa: T201
