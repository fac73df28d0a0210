"""Runs all benchmarks of speed, or all of validity, and prints the seconds of each.

Run with ``python bench/run.py speed`` or ``python bench/run.py validity``. Figures need the whole machine, so
scripts run one after the other. With ``--quick`` all sizes are small and two scripts run at a time, to test
that each script works; the output is printed only for scripts that fail.
"""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from measuring import Options

SPEED = (
    "engine.py", "engines.py", "small_files.py", "entailment.py", "bertscore.py", "layered.py",
    "consistency.py", "growth.py", "million.py", "warm.py", "startup.py", "first_paint.py", "browser.py",
    "tables_preview.py",
    "tables_waves.py", "memory.py", "precision.py", "cache.py", "rating.py", "structure.py", "tables.py",
    "streaming.py", "chat.py", "study.py", "decisions.py", "drift.py", "cluster.py",
    "history.py", "serving.py",
)  # fmt: skip
VALIDITY = (
    "anchors.py", "anchor_search.py", "lint_bounds.py", "lint_advice.py",
    "expected_r.py", "new_user_scales.py", "set_weights.py", "text_units.py", "floor.py", "emoji.py",
    "calibration.py", "few_labels.py", "languages.py", "ratings_validity.py", "fit_match.py", "validity.py",
    "language_pairs.py", "guards.py", "guard_pairs.py", "flips.py", "snapshots.py", "answer_check.py",
    "code_weights.py",
    "coding.py", "further_labels.py", "when_to_correct.py", "code_sentiment.py", "suggested_codes.py",
    "coverage.py", "correction.py",
    "survey_coverage.py", "study_coverage.py", "distance_coverage.py", "driver_coverage.py",
    "drift_decisions.py", "drift_reruns.py", "drift_german.py", "readout.py", "constructs.py", "aspects.py",
)  # fmt: skip
SCRIPTS = {"speed": SPEED, "validity": VALIDITY}
WITH_ENTAILMENT = ("validity.py", "flips.py")
AT_ONCE = 2


class Run(NamedTuple):
    """One finished script; ``output`` is empty if it was printed at once."""

    name: str
    code: int
    seconds: float
    output: str = ""

    def line(self):
        """Outcome, and the first line about parts that were left out."""
        outcome = "ok" if self.code == 0 else f"exit code {self.code}"
        left_out = [line for line in self.output.splitlines() if line.startswith(("skipped", "left out"))]
        return f"{self.seconds:6.1f} s  {self.name:22} {'; '.join([outcome, *left_out])}"


def command(name, options):
    """Return the command that starts a script."""
    words = [sys.executable, str(Path(__file__).with_name(name))]
    if options.quick:
        words.append("--quick")
    if options.nli and name in WITH_ENTAILMENT:
        words += ["--nli", options.nli]
    return words


def run(name, options):
    """Run a script to its end; with ``--quick`` its output is collected."""
    start = time.perf_counter()
    if not options.quick:
        print(f"\n== {name}", flush=True)
        code = subprocess.run(command(name, options), check=False).returncode
        return Run(name, code, time.perf_counter() - start)
    # Two scripts share the processors; threads that wait actively would slow down the other script.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    ended = subprocess.run(
        command(name, options),
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    found = Run(name, ended.returncode, time.perf_counter() - start, ended.stdout)
    print(found.line() if found.code == 0 else f"{found.output}\n{found.line()}", flush=True)
    return found


def main():
    parser = Options(__doc__)
    parser.add_argument("which", choices=list(SCRIPTS))
    parser.add_argument("--nli", help="an entailment model, for those that measure it")
    options = parser.parse_args()
    start = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE if options.quick else 1) as threads:
        runs = list(threads.map(lambda name: run(name, options), SCRIPTS[options.which]))
    failed = [each.name for each in runs if each.code]
    if not options.quick:
        print("\n" + "\n".join(each.line() for each in runs))
    print(f"{len(runs)} scripts, {time.perf_counter() - start:.0f} s, failed: {', '.join(failed) or 'none'}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
