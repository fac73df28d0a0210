"""Runs of ``semscale serve``: check the options, listen, answer until a signal comes."""

import sys

from semscale.cli.errors import say
from semscale.cli.options.serving import ServeOptions
from semscale.extras import require


def run_server(options: ServeOptions) -> None:
    """Answer requests until a signal comes.

    Raises:
        InputError: a limit out of range, an address that cannot be listened on, or no token where one is
            needed.
        MissingExtraError: ``semscale[serve]`` is not installed.
        SemscaleError: the models cannot be loaded.
    """
    require("serve")
    from semscale.serving.application import application
    from semscale.serving.gate import access_token
    from semscale.serving.server import listen, run_service
    from semscale.serving.service import Service

    token = access_token(options.host)
    service = Service(options.choice, options.limit.limits)
    if options.jobs is not None:
        service.open_jobs(options.jobs, options.part_rows)
    gate = application(service, token=token)
    with listen(options.host, options.port) as listener:
        _say(f"listening on {_address(options.host, listener.getsockname()[1])} (what it answers: /docs)")
        run_service(gate, service, listener, _say)


def _say(line: str) -> None:
    """Say a line at once, as whoever started the service may wait for it."""
    say(line)
    sys.stderr.flush()


def _address(host: str, port: int) -> str:
    return f"http://[{host.strip('[]')}]:{port}" if ":" in host else f"http://{host}:{port}"
