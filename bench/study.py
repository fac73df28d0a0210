"""Time of a study compared with the time of its calls alone.

``python bench/study.py`` runs 300 personas x 10 concepts x 3 methods on a model in this process that takes a
fixed time for each call, and gives each persona a different answer. A run that only the endpoint limits takes
calls x latency / concurrency, plus the time to rate the texts.
"""

import asyncio
import tempfile
import time
from pathlib import Path

from measuring import Options, machine, seconds
from semscale.chat.messages import Reply, Usage
from semscale.chat.runner import Running
from semscale.chat.settings import Limits
from semscale.signature import Signature
from semscale.study.questionnaire import parse_study
from semscale.study.result import Study

WORDS = ("I would buy it", "I would never buy it", "maybe, if it were cheaper", "it looks like fun", "no")


class SteadyModel:
    """A model that takes a fixed time for each call, regardless of the number of parallel calls."""

    name, signature = "steady", Signature.of("chat", model="steady")

    def __init__(self, latency):
        self.latency, self.calls = latency, 0

    async def complete(self, request):
        """Reply after the latency."""
        self.calls += 1
        number = self.calls
        await asyncio.sleep(self.latency)
        is_number = "one of these numbers" in request.messages[-1].text
        said = str(number % 5 + 1) if is_number else f"{WORDS[number % len(WORDS)]}, said {number}"
        return Reply(said, usage=Usage(100, 10), seconds=self.latency)


def study_of(personas, concepts):
    """Return a study with one question and three methods."""
    shown = "".join(f"  - {{name: c{n}, text: Concept number {n}.}}\n" for n in range(concepts))
    file = f"""
name: bench
model: steady
panel: {{size: {personas}, marginals: {{age: {{young: 0.4, old: 0.6}}, sex: {{f: 0.5, m: 0.5}}}}}}
persona: You are {{age}} and {{sex}}.
concepts:
{shown}questions: [{{name: intent, scale: purchase-intent, methods: [ssr, flr, dlr]}}]
groups: [age]
"""
    return Study(parse_study(file.encode(), source="bench", folder=Path()))


def main():
    parser = Options(__doc__)
    parser.add_size("--personas", 300, quick=5)
    parser.add_size("--concepts", 10, quick=2)
    parser.add_size("--latency", 0.5, quick=0.01, help="seconds a call")
    parser.add_argument("--concurrency", type=int, default=64)
    given = parser.parse_args()
    print(machine())
    study, model = study_of(given.personas, given.concepts), SteadyModel(given.latency)
    with tempfile.TemporaryDirectory() as folder:
        running = Running(limits=Limits(concurrency=given.concurrency), ledger=Path(folder) / "ledger.sqlite")
        found = {}
        before = time.process_time()
        asked = seconds(lambda: found.update(result=study.run(model, running=running)))
        calls, worked = model.calls, time.process_time() - before
        again = seconds(lambda: study.run(model, running=running))
    summed = seconds(found["result"].summary)
    ideal = calls * given.latency / given.concurrency
    print(f"{given.personas} personas, {given.concepts} concepts, 3 methods: {calls:,} calls")
    print(f"run {asked:.1f} s, of the processor {worked:.1f} s")
    print(f"its calls alone, {given.concurrency} at once, {ideal:.1f} s")
    print(f"the same run from the ledger {again:.1f} s: rating the texts, and all else")
    print(f"summary {summed:.1f} s")


if __name__ == "__main__":
    main()
