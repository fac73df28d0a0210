"""Ports of the loopback interface that nobody listens on."""

import socket


def free_port():
    """Ask the system for a port."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]
