"""Typed decisions per second and their processor time, compared with the openai client in a simple loop.

Run with ``python bench/decisions.py``. The server is another process on the same processor. It answers each
decision after the stated latency; without latency, only the work of client and server is measured.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from openai import AsyncOpenAI, DefaultAioHttpClient

from chat import HEAD, Answering, serve
from measuring import Options, machine, processor_seconds, ratios, spread
from semscale.chat.decision_formats import decisions_body
from semscale.chat.decisions import DecisionRequest, Option, ScoreQuestion, decide
from semscale.chat.settings import Limits

CONCURRENCY = 64
LEVELS = ("not at all", "a little", "half", "mostly", "wholly")
MASSES = (0.05, 0.1, 0.2, 0.25, 0.4)
QUESTION = ScoreQuestion("How well does the answer serve?", tuple(map(Option, LEVELS)))
TEXT = "An answer of some length, which somebody gave to a question about a product. " * 5
LISTED = [
    {"value": place, "label": label, "probability": mass}
    for place, (label, mass) in enumerate(zip(LEVELS, MASSES, strict=True))
]
ANSWERED = {"type": "score", "name": "q", "confidence": 0.4, "score": 0.7, "probabilities": LISTED}
USAGE = {"input_tokens": 90, "output_tokens": 0, "total_tokens": 90}
BODY = json.dumps({"id": "d-1", "object": "decision", "created_at": 1, "model": "m", "answers": [ANSWERED],
                   "usage": USAGE}).encode()  # fmt: skip


class Deciding(Answering):
    """Gives the same answer to every decision."""

    answer = HEAD % len(BODY) + BODY


def requests_of(n):
    return [DecisionRequest.of(f"{TEXT}{number}", {"q": QUESTION}) for number in range(n)]


async def asked_plainly(url, requests, http_client):
    """Ask with the client alone, with a semaphore, and read the probabilities from the replies."""
    turns = asyncio.Semaphore(CONCURRENCY)
    async with AsyncOpenAI(base_url=url, api_key="unused-key", http_client=http_client) as client:

        async def one(request):
            async with turns:
                found = await client.decisions.create(**decisions_body("m", request))
                return [each.probability for each in found.answers[0].probabilities]

        return await asyncio.gather(*map(one, requests))


def ours(url, requests, ledger):
    found = decide("m", requests, base_url=url, limits=Limits(concurrency=CONCURRENCY), ledger=ledger)
    return [list(answers["q"].masses) for answers in found.answers]


def kinds(url, requests, folder, turn):
    """Return the names of the compared programs, the other library first."""
    return {
        "openai": lambda: asyncio.run(asked_plainly(url, requests, None)),
        "openai over aiohttp": lambda: asyncio.run(asked_plainly(url, requests, DefaultAioHttpClient())),
        "semscale, no ledger": lambda: ours(url, requests, ledger=False),
        "semscale, with ledger": lambda: ours(url, requests, ledger=Path(folder) / f"{turn}.sqlite"),
    }


def measured(call, server):
    """Return seconds, and processor seconds of this process and the server, of a run; check its answers."""
    served, start, used = processor_seconds(server), time.perf_counter(), time.process_time()
    found = call()
    seconds, used = time.perf_counter() - start, time.process_time() - used
    served = processor_seconds(server) - served
    if any(abs(mass - known) > 1e-9 for masses in found for mass, known in zip(masses, MASSES, strict=True)):
        raise SystemExit("an answer has other probabilities than the server gave")
    return seconds, used, served


def report(url, latency, options, server):
    requests, wall, busy, theirs = requests_of(options.decisions), {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for call in kinds(url, requests[:CONCURRENCY], folder, "first").values():
            measured(call, server)  # imports
        for turn in range(options.turns):
            for name, call in kinds(url, requests, folder, turn).items():
                seconds, used, served = measured(call, server)
                theirs.setdefault(name, []).append(served)
                wall.setdefault(name, []).append(seconds)
                busy.setdefault(name, []).append(used)
    n, peer = options.decisions, next(iter(wall))
    print(f"{n:,} decisions, {CONCURRENCY} at once, latency {latency * 1000:.0f} ms")
    for name, seconds in wall.items():
        rate = spread([n / each for each in seconds], 0)
        own = spread([each / n * 1e6 for each in busy[name]], 0)
        ratio = spread(ratios(wall[peer], seconds))
        other = spread([each / n * 1e6 for each in theirs[name]], 0)
        print(f"{name}: {rate} decisions/s, ratio {ratio}; µs of processor time each: {own}, server {other}")


def main():
    parser = Options(__doc__)
    parser.add_size("--decisions", 4000, quick=64, help="decisions of a turn")
    parser.add_size("--turns", 5, quick=1, help="turns of all sides")
    parser.add_argument("--serve", type=float, metavar="SECONDS", help="be the server with this latency")
    options = parser.parse_args()
    if options.serve is not None:
        Deciding.latency = options.serve
        asyncio.run(serve(Deciding))
        return
    print(f"{date.today()}, {machine()}")
    for latency in (0.0, 0.1):
        command = [sys.executable, __file__, "--serve", str(latency)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            report(f"http://127.0.0.1:{int(server.stdout.readline())}/v1", latency, options, server.pid)
        finally:
            server.kill()
            server.wait()


if __name__ == "__main__":
    main()
