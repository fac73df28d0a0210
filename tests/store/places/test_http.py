"""Tables from a web server on the loopback interface, with and without parts of files."""

import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.reading import open_table

pytestmark = pytest.mark.needs("cloud")

FRAME = pl.DataFrame({"n": range(1000), "word": [f"word {n}" for n in range(1000)]})


def written(write):
    content = BytesIO()
    write(content)
    return content.getvalue()


FILES = {
    "/answers.csv": written(FRAME.write_csv),
    "/answers.parquet": written(lambda to: FRAME.write_parquet(to, row_group_size=100)),
}


class Handler(BaseHTTPRequestHandler):
    """Serves the files; below ``/parts`` also parts of them."""

    asked: list

    def do_HEAD(self):
        self.reply(sends=False)

    def do_GET(self):
        self.reply(sends=True)

    def reply(self, *, sends):
        path, _, query = self.path.partition("?")
        content = FILES.get(path.removeprefix("/parts"))
        if content is None or query == "key=wrong":
            self.send_error(404 if content is None else 403)
            return
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        takes_parts = path.startswith("/parts")
        if takes_parts and wanted:
            content = content[int(wanted[1]) : int(wanted[2]) + 1]
        self.asked.append((self.command, path, len(content) if sends else 0))
        self.send_response(206 if takes_parts and wanted else 200)
        self.send_header("Content-Length", str(len(content)))
        if takes_parts:
            self.send_header("Accept-Ranges", "bytes")
        self.end_headers()
        if sends:
            self.wfile.write(content)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def address():
    Handler.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("path", ["/answers.parquet", "/parts/answers.parquet"])
def test_parquet_with_and_without_parts_of_files(address, path):
    table = open_table(address + path)
    assert pl.concat(table.batches(300)).equals(FRAME)
    assert table.n_rows == 1000


def test_other_formats_are_downloaded_once_with_progress(address):
    events = []
    table = open_table(f"{address}/answers.csv?key=hidden", progress=lambda *step: events.append(step))
    size = len(FILES["/answers.csv"])
    assert events == [(f"fetching {address}/answers.csv?...", size, size)]
    assert table.name == f"{address}/answers.csv?..."
    assert pl.concat(table.batches(300))["word"].equals(FRAME["word"])
    assert sum(n for command, _, n in Handler.asked if command == "GET") == size


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/none.csv", r"\(it does not exist\); check the address$"),
        ("/answers.csv?key=wrong", r"\(403, .*\); check the credentials"),
        ("/none.parquet?key=wrong", r"\(it does not exist\); check the address$"),
    ],
)
def test_what_is_not_there_or_not_allowed(address, path, message):
    with pytest.raises(InputError, match=message) as caught:
        open_table(address + path)
    assert "wrong" not in str(caught.value)


def test_a_server_that_does_not_answer():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(InputError, match=r"\(Cannot connect to host .*\); check the name, the network"):
        open_table(f"http://127.0.0.1:{port}/answers.csv")
