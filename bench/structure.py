"""Size of Semscale's packages, and the modules and functions that three commands run.

Run with ``python bench/structure.py``; ``--source`` names the ``src`` folder of another checkout.
Blank lines, comments and docstrings are not lines of code; templates count without their style sheet. A
module counts for a command if one of its functions runs. A move is a call of a function in another module
than that of the function called before, in the same thread.
"""

import ast
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import tokenize
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from measuring import ROOT, Options

EXAMPLES = ROOT / "examples"
MARGINAL = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}

WAY = """
import collections, json, os, sys, threading
import semscale
from semscale.cli.main import main

root, codes = os.path.dirname(semscale.__file__), set()
moves, last = collections.Counter(), {}

def note(frame, event, argument):
    code, thread = frame.f_code, threading.get_ident()
    if code.co_filename.startswith(root) and code.co_name != "<module>":
        codes.add(code)
        moves[thread] += last.get(thread, code.co_filename) != code.co_filename
        last[thread] = code.co_filename

sys.settrace(note)
threading.settrace(note)
exit_code = main(sys.argv[2:])
sys.settrace(None)
ran = {
    "modules": sorted({os.path.relpath(code.co_filename, root) for code in codes}),
    "functions": sum(not code.co_name.startswith("<") for code in codes),
    "moves": moves.total(),
}
with open(sys.argv[1], "w") as file:
    json.dump(ran, file)
sys.exit(exit_code)
"""

BEFORE_THE_GATE = (
    (
        "drift",
        "record",
        str(EXAMPLES / "drift/baseline.jsonl"),
        "--model",
        "model-a",
        "--dataset",
        "feedback",
    ),
    ("drift", "approve", "latest", "--approved-by", "Ann", "--why", "read"),
    ("drift", "record", str(EXAMPLES / "drift/rerun.jsonl"), "--model", "model-a", "--rerun-of", "baseline"),
)
GATE = "a run through the gate"
WAYS = {
    "a row of a survey": (
        "rate", "reviews.csv", "--text", "text", "--scale", "quality",
        "--out", "rated.csv", "--report", "report.html",
    ),
    GATE: (
        "drift", "gate", str(EXAMPLES / "drift/candidate_bad.jsonl"), "--model", "model-b",
        "--report", "gate.html",
    ),
    "a judge call": (
        "judge", "answers.csv", "--prompt", "question", "--answer", "answer",
        "--reference", "expected", "--chat-model", "m", "--chat-url", "{server}", "--ledger", "no.sqlite",
        "--out", "judged.csv", "--report", "judged.html",
    ),
}  # fmt: skip


class Judge(BaseHTTPRequestHandler):
    """A chat model that answers every call with the same score."""

    def do_POST(self):
        """Answer with the score."""
        self.rfile.read(int(self.headers["Content-Length"]))
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Score: 4"},
        }
        usage = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}
        reply = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        body = json.dumps(reply | {"usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Print nothing: the benchmark prints its own lines."""


def docstrings(source):
    """Return the lines of docstrings."""
    taken = set()
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else []:
            is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if is_text and isinstance(statement.value.value, str):
                taken.update(range(statement.lineno, statement.end_lineno + 1))
    return taken


def code_lines(path):
    """Count the lines of code of a module, or the lines of a template that are not blank."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return sum(bool(line.strip()) for line in source.splitlines())
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in MARGINAL and token.type != tokenize.ENDMARKER:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings(source))


def files_of(folder):
    return [*folder.rglob("*.py"), *(path for path in folder.rglob("*.j2"))]


def run(command, source, folder, note):
    environment = os.environ | {"PYTHONPATH": str(source)}
    program = [sys.executable, "-c", WAY, str(note), *command]
    ended = subprocess.run(program, cwd=folder, env=environment, text=True, capture_output=True, check=False)
    if ended.returncode not in (0, 1):  # the gate ends with 1 where a candidate fails
        raise SystemExit(f"semscale {' '.join(command)}: exit code {ended.returncode}\n{ended.stderr}")
    return json.loads(note.read_text(encoding="utf-8"))


def main():
    parser = Options(__doc__)
    parser.add_argument("--source", type=Path, default=ROOT / "src")
    parser.add_size("--rows", None, quick=30, help="rows of the survey and for the judge; all unless given")
    parser.add_size("--ways", list(WAYS), quick=["a row of a survey", "a judge call"], choices=list(WAYS))
    parser.add_argument("--modules", action="store_true", help="name the modules on each way")
    options = parser.parse_args()
    package = options.source.resolve() / "semscale"
    print("package           modules  lines of code")
    for folder in sorted(path for path in package.iterdir() if path.is_dir() and path.name != "__pycache__"):
        files = files_of(folder)
        modules = sum(path.suffix == ".py" for path in files)
        print(f"{folder.name:18}{modules:7}{sum(map(code_lines, files)):15,}")
    presented = sum(code_lines(path) for name in ("cli", "report") for path in files_of(package / name))
    print(f"presentation (cli and report): {presented:,}; all: {sum(map(code_lines, files_of(package))):,}")
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "ran.json"
        last = None if options.rows is None else options.rows + 1
        for source, name in (("product_reviews.csv", "reviews.csv"), ("answers.csv", "answers.csv")):
            lines = (EXAMPLES / source).read_text(encoding="utf-8").splitlines(keepends=True)
            (Path(folder) / name).write_text("".join(lines[:last]), encoding="utf-8")
        for command in BEFORE_THE_GATE if GATE in options.ways else ():
            run(command, package.parent, folder, note)
        server = ThreadingHTTPServer(("127.0.0.1", 0), Judge)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        for name in options.ways:
            ran = run([part.replace("{server}", url) for part in WAYS[name]], package.parent, folder, note)
            modules = ran["modules"]
            n_lines = sum(code_lines(package / module) for module in modules)
            print(f"{name}: {len(modules)} modules of {n_lines:,} lines of code")
            print(f"  {ran['functions']:,} functions, {ran['moves']:,} moves between modules")
            if options.modules:
                print("  " + "\n  ".join(modules))


if __name__ == "__main__":
    main()
