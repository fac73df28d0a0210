"""Time and memory of each instrument from a thousand rows on, and their growth.

Run with ``python bench/growth.py``; ``--up-to 1e6`` sets the largest size. Every run is a command in a new
process. Half of the rows repeat the text of another row (``--duplicates``). The model is a small random one,
so that the work outside the model is measured; up to ``--model-up-to`` rows, ``rate`` runs with its default
model. Processor seconds and peak memory hardly depend on other work on the machine, but wall seconds do.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from measuring import Options

HERE = Path(__file__).parent
START = 20  # rows of the run that measures the start
FEWEST = 1000
SMALL = "random, 1 layer"
COMMANDS = {
    "rate": "rate {rows} --text text --scale quality --by group {model}",
    "rate, default model": "rate {rows} --text text --scale quality --by group --no-cache",
    "match, cosine": "match {rows} --prediction text --reference other --by group --method cosine {model}",
    "match, calibrated": "match {rows} --prediction text --reference other --by group {model}",
    "match, bertscore": "match {rows} --prediction text --reference other --by group --method bertscore "
    "--layer 1 {model}",
    "embed": "embed {rows} --text text --embedder {folder}",
    "consistency": "consistency {rows} --answer text --sample other --sample third --by group "
    "--embedder {folder} --no-cache",
    "code": "code {rows} --text text --codebook {codebook} --human hand --by group --sentiment none {model}",
    "tables": "tables {rows} --question answer --banner region",
    "judge": "judge {rows} --prompt text --answer other --by group --chat-model m --chat-url {url} "
    "--order score-only --concurrency 64 --ledger {ledger}",
}
LEAST_SIZES = 2  # from which growth is visible


def sizes(most):
    """Return powers of ten from 1,000 on, and the largest size itself."""
    found = []
    size = FEWEST
    while size <= most:
        found.append(size)
        size *= 10
    return found if found and found[-1] == most else [*found, most]


def process(words, environment=None):
    """Run a process to its end; return wall seconds, processor seconds, and peak memory in MiB."""
    begin = time.perf_counter()
    started = subprocess.Popen(words, stdout=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode:
        raise SystemExit(f"{' '.join(words)} ended with exit code {started.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "wall": time.perf_counter() - begin,
        "processor": usage.ru_utime + usage.ru_stime,
        "mib": usage.ru_maxrss * unit / 2**20,
    }


def measured(name, folder, n, options, url):
    """Run one instrument on n rows, which all instruments share, and remove its output."""
    rows = folder / f"{n}.parquet"
    if not rows.exists():
        itself = [sys.executable, str(Path(__file__))]
        process([*itself, "--rows", str(rows), "--size", str(n), "--duplicates", str(options.duplicates)])
    with tempfile.TemporaryDirectory(dir=folder) as work:
        words = COMMANDS[name].format(
            rows=rows,
            folder=folder / "model",
            codebook=folder / "model" / "codes.yaml",
            model=f"--embedder {folder / 'model'} --no-cache",
            url=url,
            ledger=f"{work}/ledger.sqlite",
        )
        out = f"{work}/out.parquet"
        command = [sys.executable, "-m", "semscale", *words.split(), "--out", out]
        if name != "tables":
            command += ["--part-rows", str(options.part_rows), "--report", f"{work}/r.html"]
        found = process(command, {"OPENAI_API_KEY": "none"})
        found["written"] = Path(out).stat().st_size
    return found


def line_of(n, run, before, start, options):
    """Return one line of the table; ``before`` has rows and MiB of the run with fewer rows."""
    work = max(run["processor"] - start["processor"], 0.01)
    more = "" if before is None else f"{(run['mib'] - before[1]) * 2**20 / (n - before[0]):8.0f}"
    distinct = round(n * (1 - options.duplicates))
    return (
        f"{n:9,} {distinct:9,} {run['wall']:8.1f} {run['processor']:12.1f} {1000 * work / n:9.3f} "
        f"{run['mib']:5.0f}  {more}"
    )


def fitted(start, runs):
    """Return the slope of log(processor seconds without the start) over log(rows), by least squares.

    ``None`` with fewer than two sizes of at least 10,000 rows; below, starting takes most of the time.
    """
    points = [
        (math.log(n), math.log(max(run["processor"] - start["processor"], 0.01)))
        for n, run in runs.items()
        if n >= 10 * FEWEST
    ]
    if len(points) < LEAST_SIZES:
        return None
    x, y = (sum(column) / len(points) for column in zip(*points, strict=True))
    across = sum((one - x) * (other - y) for one, other in points)
    return across / sum((one - x) ** 2 for one, _ in points)


def parsed():
    """Read the options."""
    parser = Options(__doc__)
    parser.add_size("--up-to", 1e6, quick=float(START), help="rows of the largest run")
    parser.add_size("--model-up-to", 1e4, quick=float(START), help="the same for the default model")
    parser.add_argument("--duplicates", type=float, default=0.5, help="share of texts seen before")
    parser.add_argument("--part-rows", type=int, default=50_000, help="rows that are held at once")
    few = ["rate", "match, cosine", "judge"]  # one each of texts, pairs and replies
    parser.add_size("--only", list(COMMANDS), quick=few, choices=list(COMMANDS), metavar="INSTRUMENT")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--rows", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--write-model", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def prepare(options):
    """Do the work of a child process of the benchmark: write rows or the model, or run the endpoint."""
    from growth_files import answer_at_once, write_codebook, write_model, write_rows

    if options.rows:
        write_rows(options.rows, options.size, options.duplicates)
    elif options.write_model:
        write_model(options.write_model)
        write_codebook(options.write_model / "codes.yaml")
    else:
        answer_at_once()


def measure(name, folder, options, url):
    """Measure one instrument, print each size as soon as it is measured, and return the figures."""
    start = measured(name, folder, START, options, url)
    print(f"\n{name} (starting: {start['processor']:.1f} processor seconds, {start['mib']:.0f} MiB)")
    print("     rows  distinct   wall s  processor s  ms a row   MiB  bytes a row in memory", flush=True)
    runs, before = {}, None
    for n in sizes(int(options.model_up_to if name.endswith("default model") else options.up_to)):
        runs[n] = start if n == START else measured(name, folder, n, options, url)
        print(line_of(n, runs[n], before, start, options), flush=True)
        before = n, runs[n]["mib"]
    exponent = fitted(start, runs)
    if exponent is not None:
        print(f"time grows with the power {exponent:.2f} of the distinct texts", flush=True)
    return {"start": start, "runs": runs}


def measure_all(options, folder, url):
    """Measure every instrument, and return the figures by instrument and rows."""
    return {name: measure(name, folder, options, url) for name in options.only}


def main():
    """Measure, print and store."""
    options = parsed()
    if options.rows or options.write_model or options.serve:
        prepare(options)
        return
    print(f"{date.today()}, {os.cpu_count()} processors; model: {SMALL}; {options.duplicates:.0%} duplicates")
    itself = [sys.executable, str(Path(__file__))]
    server = subprocess.Popen([*itself, "--serve"], stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        with tempfile.TemporaryDirectory(prefix="semscale-growth-") as name:
            (Path(name) / "model").mkdir()
            process([*itself, "--write-model", f"{name}/model"])
            found = measure_all(options, Path(name), url)
    finally:
        server.kill()
        server.wait()
    print("\nNot linear: consistency compares all samples of one prompt with each other where meanings are")
    print("measured, and drift all texts of one item. Neither goes beyond its prompt or item.")
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
