"""Ports of the loopback interface that nobody listens on."""

import random
import socket
from contextlib import suppress


def free_port():
    """Return a port below those that systems give to connections, as it may be used only seconds later."""
    while True:
        port = random.randrange(20_000, 30_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
