"""Requests that differ only in a number, and what came of them."""

from semscale.chat import Request
from semscale.chat.settings import Limits

SERIAL = Limits(concurrency=1)


def requests(n: int, **parameters: object) -> list[Request]:
    return [Request.of(f"question {number}", **parameters) for number in range(n)]


def statuses(outcomes) -> list[str]:
    return [outcome.status.value for outcome in outcomes]
