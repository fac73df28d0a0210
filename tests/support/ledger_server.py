"""A database of a ledger as a test looks at it from outside, and a way to it that can be cut."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress


def on_database(address: str, statement: str, *values: object) -> object:
    """Do one statement, and give the first value that it gives."""
    from semscale.store.databases.address import read_address
    from semscale.store.databases.postgres import postgres_engine

    engine = postgres_engine(read_address(address, "the tests' database"))
    try:
        with engine.begin() as connection:
            result = connection.exec_driver_sql(statement, values or None)
            return result.scalar() if result.returns_rows else None
    finally:
        engine.dispose()


class Way:
    """A way to a server over the loopback interface.

    Attributes:
        place: URL of the database by this way.
    """

    def __init__(self, address: str) -> None:
        from sqlalchemy.engine import make_url

        url = make_url(address)
        self._folder, self._host, self._port = url.query.get("host"), url.host, url.port or 5432
        self._ends: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        by_it = url.set(host="127.0.0.1", port=self.port, password=url.password or "s3cret", query={})
        self.address = by_it.render_as_string(hide_password=False)
        self._listen()

    def cut(self) -> None:
        """End all connections, and let nobody connect."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._carrying:
            thread.join()

    def mend(self) -> None:
        """Let everybody connect again."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._listen()

    def _listen(self) -> None:
        self._carrying: list[threading.Thread] = []
        self._thread = threading.Thread(target=self._accept, args=(self._listener,))
        self._thread.start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                visitor, _ = listener.accept()
            except OSError:
                return
            server = self._reached()
            self._ends += [visitor, server]
            for ends in ((visitor, server), (server, visitor)):
                self._carrying.append(threading.Thread(target=_carry, args=ends))
                self._carrying[-1].start()

    def _reached(self) -> socket.socket:
        if self._folder is None:
            return socket.create_connection((self._host, self._port))
        server = socket.socket(socket.AF_UNIX)
        server.connect(f"{self._folder}/.s.PGSQL.{self._port}")
        return server


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while content := source.recv(65536):
            target.sendall(content)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def way_to(address: str) -> Iterator[Way]:
    """A way to a database, which goes with the block."""
    way = Way(address)
    try:
        yield way
    finally:
        way.cut()
        for end in way._ends:
            with closing(end):
                pass
