"""Calls per second and memory of a run of chat calls, against a local server with 100 ms latency.

Run with ``python bench/chat.py``. The server is another process on the same processor. A ledger on PostgreSQL
is measured if pgserver is installed.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from contextlib import aclosing
from datetime import date
from pathlib import Path

from measuring import Options, machine, postgres
from semscale.chat import Request, load_chat_model
from semscale.chat.runner import Runner
from semscale.chat.settings import Limits

LATENCY, CONCURRENCY = 0.1, 64
IDEAL = CONCURRENCY / LATENCY
TO_REACH = min(0.8 * IDEAL, 300)
QUESTION = "How well does this answer the question? Reply with one digit from 1 to 5. " * 5
BODY = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "4"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 1, "total_tokens": 91},
    }
).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
ANSWER = HEAD % len(BODY) + BODY


class Answering(asyncio.Protocol):
    """Answers every request after the latency, on a connection that stays open."""

    answer, latency = ANSWER, LATENCY

    def connection_made(self, transport):
        """Store the connection."""
        self.transport, self.arrived = transport, b""

    def data_received(self, data):
        """Collect a request until it is whole."""
        self.arrived += data
        head, found, rest = self.arrived.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        if len(rest) >= length:
            self.arrived = rest[length:]
            asyncio.get_running_loop().call_later(self.latency, self.transport.write, self.answer)


async def serve(answering=Answering):
    server = await asyncio.get_running_loop().create_server(answering, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def resident():
    """Return this process's memory in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


async def run(port, n_calls, ledger, first=0):
    model, numbers = (
        load_chat_model("m", base_url=f"http://127.0.0.1:{port}/v1"),
        range(first, first + n_calls),
    )
    requests = (Request.of(f"{QUESTION}{number}", temperature=0.0, max_tokens=1) for number in numbers)
    runner = Runner(model, limits=Limits(concurrency=CONCURRENCY), ledger=ledger)
    memory, done = [], 0
    async with aclosing(runner.stream(requests)) as outcomes:
        async for outcome in outcomes:
            if outcome.reply is None:
                raise outcome.failure
            done += 1
            if done % (n_calls // 10) == 0:
                memory.append(resident())
    return memory


def measured(port, n_calls, ledger, first=0):
    start, used = time.perf_counter(), time.process_time()
    memory = asyncio.run(run(port, n_calls, ledger, first))
    seconds, used = time.perf_counter() - start, time.process_time() - used
    return n_calls / seconds, n_calls / used, memory


def main():
    parser = Options(__doc__)
    parser.add_size("--calls", 100_000, quick=200, help="calls of the run that memory is read in")
    parser.add_size("--turns", 3, quick=1, help="runs of a tenth as many calls, for the rate")
    parser.add_argument("--serve", action="store_true", help="be the server")
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
        return
    print(f"{date.today()}, {machine()}")
    server = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline())
        report(port, options)
        report_server(port, options)
    finally:
        server.kill()
        server.wait()


def report_rate(kind, port, n_calls, ledgers):
    """Measure a turn with each ledger; all calls differ, as one ledger may be used in many turns."""
    rates = [measured(port, n_calls, ledger, turn * n_calls) for turn, ledger in enumerate(ledgers)]
    wall, busy = sorted(rates)[len(rates) // 2][:2]
    shown = " ".join(f"{rate[0]:.0f}" for rate in rates)
    print(
        f"{kind}: {wall:.0f} calls/s in the middle of {shown} ({wall / IDEAL:.0%} of the ideal "
        f"{IDEAL:.0f}); {busy:.0f} calls for each second of processor time"
    )


def report_server(port, options):
    with postgres(tempfile.mkdtemp(prefix="semscale-pg-")) as url:
        if url is None:
            print("with a ledger on PostgreSQL: left out, for want of a server: pip install pgserver")
        else:
            report_rate("with a ledger on PostgreSQL", port, options.calls // 10, [url] * options.turns)


def report(port, options):
    with tempfile.TemporaryDirectory() as folder:
        report_rate("without a ledger", port, options.calls // 10, [False] * options.turns)
        files = [Path(folder) / f"ledger.{turn}" for turn in range(options.turns)]
        report_rate("with the ledger", port, options.calls // 10, files)
        print(f"to reach: {TO_REACH:.0f} calls/s on one core ({0.8 * IDEAL:.0f} where more are used)")
        wall, _, memory = measured(port, options.calls, Path(folder) / "long.sqlite")
        shown = " ".join(f"{size:.0f}" for size in memory)
        print(f"{options.calls:,} calls with the ledger: {wall:.0f} calls/s; MB at each tenth: {shown}")
        size = sum(path.stat().st_size for path in Path(folder).glob("long.sqlite*") if path.is_file())
        print(f"the ledger takes {size / options.calls:,.0f} bytes a call")


if __name__ == "__main__":
    main()
