"""Entry point of ``python -m semscale`` and of the command ``semscale``."""

from semscale.cli.process import leave_on_interrupt


def run(program: str = "semscale") -> None:
    """Run the command that the command line names; Ctrl-C works even while the program is loading.

    Args:
        program: name under which the program was called, for its help.
    """
    leave_on_interrupt()
    from semscale.cli.main import run as run_command

    run_command(program)


if __name__ == "__main__":
    run("python -m semscale")
