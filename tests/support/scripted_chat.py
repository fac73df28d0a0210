"""A chat model that answers by a script, and counts what it is asked."""

import asyncio

from semscale.chat import CallError, FailureKind, Reply
from semscale.signature import Signature


class ScriptedChat:
    """Says ``script[prompt][sample]``; an error where that is one."""

    name = "scripted"
    signature = Signature.of("chat", model="scripted")

    def __init__(self, script):
        self.script, self.asked = script, []

    async def complete(self, request):
        prompt = request.messages[-1].text
        self.asked.append((prompt, request.sample, request.parameters.temperature))
        await asyncio.sleep(0)
        scripted = self.script[prompt][request.sample]
        if isinstance(scripted, FailureKind):
            raise CallError("no", kind=scripted)
        return Reply(scripted)
