"""Runs the program as ``python -m semscale``."""

from semscale.cli.main import run

if __name__ == "__main__":
    run()
