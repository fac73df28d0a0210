"""Chat models that say what a test wants, and fixtures around them."""

import re

import pytest

from semscale.chat.messages import CallError, FailureKind, Reply, Usage
from semscale.chat.pacing import Retries
from semscale.chat.runner import Running
from semscale.signature import Signature


class Scripted:
    """Answers by a function of the request's last message, and keeps every request."""

    def __init__(self, say, *, name="scripted", takes_schema=True, takes_logprobs=True):
        self._say = say
        self.name = name
        self.takes_schema, self.takes_logprobs = takes_schema, takes_logprobs
        self.requests = []
        self.closed = 0

    @property
    def signature(self):
        return Signature.of("chat", model=self.name, engine="scripted")

    async def complete(self, request):
        asked = request.parameters
        if asked.schema is not None and not self.takes_schema:
            raise CallError("no schema here", kind=FailureKind.REJECTED)
        if asked.top_logprobs is not None and not self.takes_logprobs:
            raise CallError("no logprobs here", kind=FailureKind.REJECTED)
        self.requests.append(request)
        reply = self._say(request)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Reply) else Reply(reply, usage=Usage(10, 2))

    async def aclose(self):
        self.closed += 1


def material(request, name="ANSWER"):
    """The text between the marks of that name."""
    prompt = next(message.text for message in request.messages if message.role == "user")
    return re.search(rf"\[BEGIN {name} (\w+)\]\n(.*)\n\[END {name} \1\]", prompt, re.DOTALL)[2]


@pytest.fixture
def running():
    return Running(ledger=False, retries=Retries(0))


def plain_running(**settings):
    return Running(ledger=False, retries=Retries(0), **settings)
