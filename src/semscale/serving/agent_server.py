"""Server of the Model Context Protocol over standard input and output: lists the tools and calls them."""

import asyncio
import json
import logging
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TextIO, cast

from semscale.errors import SemscaleError
from semscale.json_reading import encodable, encodable_values, parse_json
from semscale.messages import unknown_name
from semscale.serving.tool_arguments import in_arguments
from semscale.serving.tools import AgentTool, Content
from semscale.version import __version__

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.types import CallToolResult, ListToolsResult

_INSTRUCTIONS = (
    "Semscale measures what free text means. Its numbers come with intervals and can be reproduced by their "
    "signature. An item without a score has a status with the reason; it is never counted as 0. Report the "
    "cautions of a result with its numbers."
)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_ID = re.compile(r'\s*:\s*(-?[0-9]{1,15}|"[^"\\]*")')
_LOG = logging.getLogger("semscale.serving")


def agent_server(tools: Mapping[str, AgentTool]) -> "Server":
    """Return a server with these tools; it needs the extra ``mcp``."""
    from mcp import types
    from mcp.server import Server

    listed = [
        types.Tool(
            name=name,
            description=tool.description,
            input_schema=tool.schema,
            output_schema=dict(tool.output),
            annotations=types.ToolAnnotations(
                read_only_hint=not tool.writes, destructive_hint=False, open_world_hint=not tool.is_local
            ),
        )
        for name, tool in tools.items()
    ]

    async def list_tools(*_: object) -> "ListToolsResult":
        return types.ListToolsResult(tools=listed)

    async def call_tool(_: object, call: Any) -> "CallToolResult":
        try:
            content = await _call_tool(tools, call.name, call.arguments or {})
        except Exception as error:
            failed = types.TextContent(text=_message(error, tools.get(call.name)))
            return types.CallToolResult(content=[failed], is_error=True)
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=content)

    return Server(
        "semscale",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _call_tool(tools: Mapping[str, AgentTool], name: str, arguments: Mapping[str, Any]) -> Content:
    if name not in tools:
        raise unknown_name("tool", name, list(tools))
    return await tools[name].call(encodable_values(arguments))


def _message(error: Exception, tool: AgentTool | None) -> str:
    """Describe an error in one line with the names of arguments."""
    if isinstance(error, SemscaleError):
        return encodable(str(error) if tool is None else error.spelled(in_arguments(tool.fields)))
    _LOG.error("a bug of ours: please report it", exc_info=error)
    return f"this is a bug of ours: {type(error).__name__}"


def serve_standard_streams(server: "Server") -> None:
    """Serve the program connected to standard input and output until it closes them."""
    from mcp import types
    from mcp.server.stdio import stdio_server
    from mcp.shared.message import SessionMessage

    async def serve() -> None:
        async def refuse(message_id: int | str | None, code: int, reason: str) -> None:
            error = types.ErrorData(code=code, message=reason)
            answer = types.JSONRPCError(jsonrpc="2.0", id=message_id, error=error)
            await outgoing.send(SessionMessage(answer))

        lines = _messages(_own_standard_input(), refuse)
        async with stdio_server(stdin=cast(Any, lines)) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    for number in (signal.SIGINT, signal.SIGTERM):
        # A thread waits for the next line of standard input, and nothing else can end it.
        signal.signal(number, lambda *_: os._exit(0))
    try:
        asyncio.run(serve())
    except* BrokenPipeError:
        pass  # the program ended without closing the input


async def _messages(
    stream: TextIO, refuse: Callable[[int | str | None, int, str], Awaitable[None]]
) -> AsyncIterator[str]:
    """Yield the client's messages in the form that the SDK parses.

    The SDK drops other messages, and their senders would wait for an answer. Here unpaired surrogates are
    replaced, and what is no JSON or no message of JSON-RPC is refused.
    """
    import anyio
    from mcp import types
    from pydantic import ValidationError

    async for line in anyio.wrap_file(stream):
        if not line.strip():
            continue
        try:
            message = encodable_values(parse_json(line))
        except json.JSONDecodeError as error:
            await refuse(message_id(line), types.PARSE_ERROR, f"the message must be JSON: {error}")
            continue
        text = json.dumps(message)
        try:
            types.jsonrpc_message_adapter.validate_json(text, by_name=False)
        except ValidationError:
            reason = "the message must be an object of JSON-RPC 2.0, with a method and an object of params"
            await refuse(message_id(text), types.INVALID_REQUEST, reason)
        else:
            yield text


def _own_standard_input() -> TextIO:
    """Return standard input for this process; child processes get an empty one."""
    descriptor = os.dup(sys.stdin.fileno())
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, sys.stdin.fileno())
    os.close(empty)
    return open(descriptor, encoding="utf-8", errors="replace", closefd=False)


def message_id(line: str) -> int | str | None:
    """Return the ID of a JSON-RPC message that cannot be parsed; ``None`` if it has none.

    Examples:
        >>> message_id('{"params": {"id": 1, "texts": [[[[[[["id"]]]]]]]}, "id": 2, "jsonrpc": oops}')
        2
    """
    depth = 0
    for token in _TOKEN.finditer(line):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        stated = _ID.match(line, token.end()) if depth == 1 and token[0] == '"id"' else None
        if stated is not None:
            value: int | str = json.loads(stated[1])
            return value
    return None
