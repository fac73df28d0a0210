"""Runs the program: as ``python -m semscale``, and as the command ``semscale``."""

from semscale.cli.interrupts import leave_on_interrupt


def run() -> None:
    """Run the command that the command line names; Ctrl-C is heeded before the program is loaded."""
    leave_on_interrupt()
    from semscale.cli.main import run as run_command

    run_command()


if __name__ == "__main__":
    run()
