"""The service compared with the engine alone: texts per second, waiting times, lost requests and memory.

``python bench/serving.py``: a server (``semscale serve``, extra ``serve``) and clients with 8 texts per
request, in another process, share the machine with the engine. So the cost of the clients is printed, too,
and the service is compared with the engine in three ways: by texts per second, clients included; by texts per
second of the server's processor time; and with an engine that gets batches as small as those of the service.
Every text is sent once, so equal texts save nothing.

The memory is printed after each tenth of a million short requests; ``--turns 0`` measures nothing else.
"""

import argparse
import asyncio
import csv
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

import numpy as np

from measuring import Options, machine, processor_seconds, seconds, spread
from semscale.embedding import load_embedder
from semscale.weights.known import DEFAULT_MODEL

TEXTS = Path(__file__).parent.parent / "examples" / "product_reviews.csv"
OF_EACH = 8
CLOSED = "none: closed"  # no connection, or a connection that was closed before the answer began
BROKEN = "none: broke off"


def options():
    parser = Options(__doc__)
    parser.add_size("--seconds", 30.0, quick=1.0, help="of each turn")
    parser.add_size("--clients", 64, quick=4)
    parser.add_size("--turns", 3, quick=1)
    parser.add_size("--requests", 1_000_000, quick=100, help="short ones, to watch the memory")
    parser.add_size("--texts", None, quick=100, help="that the engine alone has; all unless given")
    parser.add_argument("--precision", default="exact", choices=["exact", "fast"])
    parser.add_argument("--clients-of", help=argparse.SUPPRESS)
    return parser.parse_args()


def reviews():
    with TEXTS.open(encoding="utf-8", newline="") as file:
        return [row["text"] for row in csv.DictReader(file)]


class Server:
    """``semscale serve`` in a new process."""

    def __init__(self, precision):
        command = [sys.executable, "-m", "semscale", "serve", "--port", "0", "--embedder", DEFAULT_MODEL]
        self.process = subprocess.Popen(
            [*command, "--precision", precision, "--log-level", "warning"], stderr=subprocess.PIPE, text=True
        )
        self.address = self.process.stderr.readline().split()[3]
        assert "ready" in self.process.stderr.readline()

    def batches(self):
        """Return the number of batches of the model, and the number of their texts."""
        with urlopen(f"{self.address}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        found = [
            sum(float(line.split()[-1]) for line in lines if line.startswith(f"semscale_batch_texts_{each}"))
            for each in ("count", "sum")
        ]
        return np.array(found)

    def resident_mb(self):
        """Return the memory in use in MB; NaN on systems without /proc."""
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.is_file():
            return float("nan")
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def stop(self):
        """Stop it like an operator, and return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=120)
        return self.process.returncode


class Client:
    """Sends requests on one connection, and opens a new one when the server closes it."""

    def __init__(self, address):
        self.host, port = address.removeprefix("http://").split(":")
        self.port, self.reader, self.writer = int(port), None, None

    async def status(self, body):
        """Send a body, and return the status of the answer, or ``CLOSED`` or ``BROKEN`` without one."""
        try:
            if self.writer is None:
                self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
            return await self._answered(body)
        except asyncio.IncompleteReadError as error:
            return BROKEN if error.partial else CLOSED
        except OSError:
            return CLOSED

    async def _answered(self, body):
        head = f"POST /v1/embeddings HTTP/1.1\r\nhost: {self.host}\r\ncontent-length: {len(body)}\r\n\r\n"
        self.writer.write(head.encode() + body)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        lines = answer.split(b"\r\n")
        length = next(line for line in lines if line.startswith(b"content-length"))
        await self.reader.readexactly(int(length.split(b":")[1]))
        if b"connection: close" in lines:
            self.close()
        return int(answer.split(b" ", 2)[1])

    def close(self):
        """Close the connection."""
        if self.writer is not None:
            self.writer.close()
        self.writer = None


async def send(address, bodies, until, n_clients):
    """Send bodies one after another from each client; return times and status of each answer."""
    found, stop = [], False

    async def ask(client):
        nonlocal stop
        while not stop and (body := next(bodies, None)) is not None:
            started = time.perf_counter()
            status = await client.status(body)
            found.append((time.perf_counter() - started, status))
            stop = stop or time.perf_counter() > until or status != 200
        client.close()

    await asyncio.gather(*(ask(Client(address)) for _ in range(n_clients)))
    return found


def body_of(texts):
    return json.dumps({"input": texts, "model": DEFAULT_MODEL, "encoding_format": "base64"}).encode()


def varied(texts):
    """Yield requests with different texts, without end."""
    number = 0
    while True:
        order = np.random.default_rng(number).permutation(len(texts))
        for start in range(0, len(texts) - OF_EACH, OF_EACH):
            number += 1
            yield body_of([f"{texts[place]} {number}" for place in order[start : start + OF_EACH]])


def short(n):
    """Yield n requests with one short text; a batch computes equal texts once."""
    bodies = [body_of([text]) for text in ("no", "yes", "maybe", "never")]
    for number in range(n):
        yield bodies[number % len(bodies)]


def run_clients(order):
    """Run the clients in their process: send the requested texts, and print the results."""
    told = json.loads(order)
    bodies = short(told["requests"]) if told["requests"] else varied(reviews())
    started = time.perf_counter()
    found = asyncio.run(send(told["address"], bodies, started + told["seconds"], told["clients"]))
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - started,
                "waits": [round(wait, 5) for wait, _ in found[-100_000:]],
                "statuses": Counter(status for _, status in found),
                "n": len(found),
                "cpu": sum(resource.getrusage(resource.RUSAGE_SELF)[:2]),
            }
        )
    )


def clients(address, n, *, for_seconds, requests=0):
    """Start the clients."""
    order = json.dumps({"address": address, "clients": n, "seconds": for_seconds, "requests": requests})
    return subprocess.Popen(
        [sys.executable, __file__, "--clients-of", order], stdout=subprocess.PIPE, text=True
    )


def waited(process):
    """Wait for the clients, and return their output."""
    return json.loads(process.communicate()[0])


class Engine:
    """The engine alone, in this process."""

    def __init__(self, precision, texts):
        self.texts = texts
        self.embedder = load_embedder(DEFAULT_MODEL, precision=precision, cache=False)
        self.embedder.embed(texts[:300])

    def rates(self):
        """Return texts per second and per processor second for all texts at once."""
        before = time.process_time()
        took = seconds(lambda: self.embedder.embed(self.texts))
        n = len(self.texts)
        return n / took, n / (time.process_time() - before)

    def seconds_of_a_batch(self, size):
        """Return the seconds for a number of texts in batches."""
        starts = range(0, max(len(self.texts) - size, 1), size)
        batches = [self.texts[start : start + size] for start in starts]
        took = seconds(lambda: [self.embedder.embed(batch) for batch in batches])
        return took / sum(map(len, batches)) * size


def main():
    asked = options()
    if asked.clients_of:
        run_clients(asked.clients_of)
        return
    print(f"{machine()}; load of the machine before: {os.getloadavg()[0]:.1f}")
    # With a number, like the clients' texts, as it costs tokens.
    known = reviews()[: asked.texts]
    texts = [f"{text} {number}" for number, text in enumerate(known)]
    server = Server(asked.precision)
    if asked.turns:
        engine = Engine(asked.precision, texts)
        print_speed([one_turn(server, engine, asked) for _ in range(asked.turns)])
    print_memory(server, asked)
    print_shutdown(server, asked.clients)


class Turn(NamedTuple):
    """Figures of the service, and of the engine right before and after it."""

    share: float
    share_of_batches: float
    share_of_processor: float
    p50: float
    p99: float
    batch: float


def one_turn(server, engine, asked):
    """Measure the engine with all texts, the service, and the engine with batches of the service's size."""
    rate, per_processor_second = engine.rates()
    before, taken = processor_seconds(server.process.pid), server.batches()
    found = waited(clients(server.address, asked.clients, for_seconds=asked.seconds))
    cost = processor_seconds(server.process.pid) - before
    n, n_texts = server.batches() - taken
    size = round(n_texts / n)
    batch = engine.seconds_of_a_batch(size)
    sent = found["n"] * OF_EACH
    served, served_per_second = sent / found["seconds"], sent / cost
    print(
        f"engine {rate:.0f} texts/s, {size / batch:.0f} with {size} texts at a time, "
        f"service {served:.0f}; texts a processor second: engine {per_processor_second:.0f}, "
        f"server {served_per_second:.0f}; of all processor time the clients took "
        f"{found['cpu'] / (found['cpu'] + cost):.1%}; texts in a batch {size}; "
        f"statuses {found['statuses']}",
        flush=True,
    )
    p50, p99 = np.percentile(found["waits"], [50, 99])
    return Turn(
        served / rate, served / size * batch, served_per_second / per_processor_second, p50, p99, batch
    )


def print_speed(turns):
    """Print the speed of the service and the engine over all turns."""
    print(f"service / engine: {spread([turn.share for turn in turns])} (goal .84)")
    print(
        "service / engine that is given as many texts at a time as the service's batches have: "
        f"{spread([turn.share_of_batches for turn in turns])}"
    )
    print(f"by processor seconds: {spread([turn.share_of_processor for turn in turns])}")
    p50, p99, batch = np.median([turn[3:] for turn in turns], axis=0)
    print(
        f"p50 {p50:.2f} s, p99 {p99:.2f} s, one batch alone {batch:.2f} s: p99 = {p99 / batch:.1f} (goal 4)",
        flush=True,
    )


def print_memory(server, asked):
    """Send many short requests, a tenth at a time, and print the memory after each tenth."""
    sent, requests = 0, asked.requests
    for tenth in range(1, 11):
        n = requests * tenth // 10 - sent
        if not n:
            continue
        found = waited(clients(server.address, asked.clients, for_seconds=1e9, requests=n))
        sent += n
        print(
            f"after {sent:,} of {requests:,} requests: {server.resident_mb():.0f} MB; "
            f"{n / found['seconds']:.0f} requests/s; statuses {found['statuses']}",
            flush=True,
        )


def print_shutdown(server, n_clients):
    """Stop the server while all clients send; each request that it has read must get an answer."""
    before = server.batches()[0]
    sending = clients(server.address, n_clients, for_seconds=60)
    while server.batches()[0] < before + 2:
        time.sleep(0.1)
    code = server.stop()
    found = waited(sending)
    print(f"at shutdown: exit code {code}, statuses of the last requests {found['statuses']}")


if __name__ == "__main__":
    main()
