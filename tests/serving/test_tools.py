"""Tools of an agent, called by the client of the protocol's own SDK: in this process and over a pipe."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from targets import CORPUS

import semscale
from semscale.chat.budget import Budget
from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.chat.runner import Running
from semscale.cli.main import main
from semscale.errors import InputError
from semscale.judging.settings import JudgeSettings
from semscale.serving.requests import ConsistencyFields, MatchFields, RatingFields, ServiceLimits
from semscale.signature import Signature

pytestmark = pytest.mark.needs("mcp")

PROJECT_FILE = Path(__file__).parents[2] / "pyproject.toml"
TEXTS = ["I would buy it at once.", "Never.", None, "Perhaps, if it were cheaper.", ""]
COMMAND = [sys.executable, "-m", "semscale", "mcp"]
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def server_with(embedder, **limits):
    from semscale.serving.tools import agent_server, agent_tools

    return agent_server(agent_tools(lambda _: embedder, ServiceLimits(**limits)))


def talk(server, conversation):
    """Let a client talk to a server, and return the result of the conversation."""
    from mcp import Client

    async def run():
        async with Client(server) as client:
            return await conversation(client)

    return asyncio.run(run())


def call(server, tool, **arguments):
    return talk(server, lambda client: client.call_tool(tool, arguments))


def list_tools(client):
    return client.list_tools()


def refusal(server, tool, **arguments):
    """The message of a call that fails."""
    result = call(server, tool, **arguments)
    assert result.is_error
    (content,) = result.content
    return content.text


class TestList:
    def test_the_tools_name_their_arguments_with_bounds_and_help(self, toy_embedder):
        listed = talk(server_with(toy_embedder), list_tools).tools
        tools = {tool.name: tool for tool in listed}
        assert list(tools) == ["list_scales", "rate", "match", "consistency", "code"]
        for name, fields in (
            ("rate", RatingFields),
            ("match", MatchFields),
            ("consistency", ConsistencyFields),
        ):
            arguments = tools[name].input_schema["properties"]
            assert set(arguments) == {*fields.model_fields, "rows"}
            assert all(argument["description"] for argument in arguments.values())
            assert tools[name].annotations.read_only_hint
        share = tools["match"].input_schema["properties"]["recall_share"]["anyOf"][0]
        assert share == {"type": "number", "minimum": 0, "maximum": 1}
        assert tools["rate"].input_schema["required"] == ["texts"]

    def test_scales_have_their_points(self, toy_embedder):
        scales = call(server_with(toy_embedder), "list_scales").structured_content["scales"]
        (quality,) = [scale for scale in scales if scale["name"] == "quality"]
        assert quality["points"] == {
            "1": "Very bad",
            "2": "Bad",
            "3": "Neither good nor bad",
            "4": "Good",
            "5": "Very good",
        }


class TestMeasuring:
    def test_ratings_are_those_of_the_function(self, toy_embedder):
        content = call(server_with(toy_embedder), "rate", texts=TEXTS, floor=None).structured_content
        ratings = semscale.rate(TEXTS, scale="purchase-intent", embedder=toy_embedder, floor=None)
        assert [row["status"] for row in content["results"]] == [
            "scored",
            "scored",
            "missing",
            "scored",
            "empty",
        ]
        assert content["results"] == json.loads(ratings.to_frame().write_json())
        assert content["results"][2]["mean"] is None
        assert content["counts"] == {"scored": 3, "missing": 1, "empty": 1}
        mean = ratings.estimate().overall_mean()
        estimate = content["estimates"]["mean"]
        assert (estimate["value"], estimate["low"], estimate["high"]) == (mean.value, mean.low, mean.high)
        assert (estimate["n"], estimate["n_left_out"]) == (3, 2)
        assert content["signature"].startswith(str(ratings.signature))

    def test_matches_are_those_of_the_function(self, toy_embedder):
        texts = {"predictions": ["It is 4 km", "in Paris"], "references": ["It is 5 km", ["Paris", "Lyon"]]}
        content = call(server_with(toy_embedder), "match", **texts, method="cosine").structured_content
        matches = semscale.match(**texts, method="cosine", embedder=toy_embedder)
        assert [row["score"] for row in content["results"]] == matches.score.tolist()
        assert content["results"][0]["findings"][0]["guard"] == "number"
        assert content["estimates"]["score"]["value"] == matches.estimate().overall_mean().value

    def test_consistencies_are_those_of_the_function(self, toy_embedder):
        texts = {"answers": ["It is 4", "Lisbon"], "samples": [["It is 5", "It is 4"], ["Lisbon", "Lisbon"]]}
        content = call(server_with(toy_embedder), "consistency", **texts).structured_content
        consistencies = semscale.consistency(**texts, embedder=toy_embedder)
        assert content["results"] == json.loads(consistencies.to_frame().write_json())

    def test_the_text_of_an_answer_is_its_structured_content(self, toy_embedder):
        result = call(server_with(toy_embedder), "rate", texts=["good"])
        assert json.loads(result.content[0].text) == result.structured_content

    def test_without_rows_the_estimates_are_left(self, toy_embedder):
        content = call(server_with(toy_embedder), "rate", texts=TEXTS, rows=False).structured_content
        assert set(content) == {"counts", "estimates", "cautions", "signature"}

    def test_a_scale_can_come_with_the_call(self, toy_embedder):
        scale = {
            "title": "Mood",
            "question": "How are you?",
            "points": [{"value": 1, "label": "bad"}, {"value": 2, "label": "good"}],
            "anchor_sets": {"plain": ["I feel bad.", "I feel good."]},
        }
        content = call(
            server_with(toy_embedder), "rate", texts=["I feel good."], scale=scale
        ).structured_content
        assert content["results"][0]["mode"] == 2.0

    @pytest.mark.parametrize("texts", [[], [None, None], [""]])
    def test_nothing_to_rate_has_no_estimate(self, toy_embedder, texts):
        content = call(server_with(toy_embedder), "rate", texts=texts).structured_content
        assert len(content["results"]) == len(texts)
        assert content["estimates"] == {}


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({}, "texts is missing: add it"),
            # The unknown key explains the missing one.
            ({"text": ["good"]}, "unknown key 'text': did you mean 'texts'? (and 1 more mistake)"),
            ({"texts": "good"}, "texts must be a list, got 'good'"),
            ({"texts": ["good"], "scal": "quality"}, "unknown key 'scal': did you mean 'scale'?"),
            ({"texts": ["good"], "temperature": "1"}, "temperature must be a number, got '1'"),
            ({"texts": ["good"], "rows": "yes"}, "rows must be true or false, got 'yes'"),
            (
                {"texts": ["good"] * 4},
                "texts must have at most 3 texts, got 4: split them into several calls",
            ),
            ({"texts": ["good", "a" * 21]}, "texts[1] must have at most 20 characters, got 21"),
        ],
    )
    def test_a_bad_argument_is_named_in_one_line(self, toy_embedder, arguments, message):
        server = server_with(toy_embedder, max_texts=3, max_characters=20)
        assert refusal(server, "rate", **arguments) == message

    def test_an_unknown_scale_names_the_nearest(self, toy_embedder):
        message = refusal(server_with(toy_embedder), "rate", texts=["good"], scale="qualit")
        assert message.startswith("unknown scale 'qualit': did you mean 'quality'?")

    def test_an_unknown_tool_names_the_nearest(self, toy_embedder):
        assert refusal(server_with(toy_embedder), "rates").startswith(
            "unknown tool 'rates': did you mean 'rate'?"
        )

    def test_lists_of_unequal_length(self, toy_embedder):
        message = refusal(
            server_with(toy_embedder), "match", predictions=["a", "b"], references=["a"], method="cosine"
        )
        assert (
            message
            == "predictions and references must have equal lengths, got 2 predictions and 1 references"
        )

    def test_a_bug_has_no_traceback(self, toy_embedder, monkeypatch, caplog):
        monkeypatch.setattr(toy_embedder, "embed", lambda *_, **__: 1 / 0)
        assert (
            refusal(server_with(toy_embedder), "rate", texts=["good"])
            == "this is a bug of ours: ZeroDivisionError"
        )
        assert "please report it" in caplog.text

    def test_a_model_that_cannot_be_loaded(self, toy_embedder):
        from semscale.serving.tools import agent_server, agent_tools

        def load(name):
            raise InputError(f"{name} cannot be loaded")

        server = agent_server(agent_tools(load, ServiceLimits()))
        assert refusal(server, "rate", texts=["good"]) == "e5-small cannot be loaded"
        assert not call(server, "list_scales").is_error


class TestTables:
    @pytest.fixture
    def folder(self, tmp_path):
        rows = ["id,comment,country", "1,I would buy it at once.,PT", "2,,PT", "3,Never.,ES"]
        (tmp_path / "answers.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        (tmp_path.parent / "elsewhere.csv").write_text("comment\ngood\n", encoding="utf-8")
        return tmp_path

    def server(self, embedder, folder):
        from semscale.serving.tools import agent_server, agent_tools

        return agent_server(agent_tools(lambda _: embedder, ServiceLimits(), folder=folder))

    def test_a_table_is_summed_up_and_its_rows_are_written(self, toy_embedder, folder):
        server = self.server(toy_embedder, folder)
        rated = {"table": "answers.csv", "text": "comment", "by": "country", "floor": None}
        content = call(server, "rate_table", **rated, out="rated.csv").structured_content
        assert content["counts"] == {"scored": 2, "missing": 1}
        ratings = semscale.rate(
            ["I would buy it at once.", None, "Never."], embedder=toy_embedder, floor=None
        )
        assert (
            content["estimates"]["overall"]["figures"]["mean"]["value"]
            == ratings.estimate().overall_mean().value
        )
        groups = {group["group"]: group["n"] for group in content["estimates"]["groups"]}
        assert groups == {"PT": 1, "ES": 1}
        written = pl.read_csv(folder / "rated.csv")
        assert written["semscale_status"].to_list() == ["scored", "missing", "scored"]

    def test_tools_for_tables_need_a_folder(self, toy_embedder, folder):
        names = {f"{name}_table" for name in ("rate", "match", "consistency")}
        tools = {tool.name: tool for tool in talk(self.server(toy_embedder, folder), list_tools).tools}
        assert names < set(tools)
        assert {name for name, tool in tools.items() if not tool.annotations.read_only_hint} == names
        assert tools["match_table"].input_schema["required"] == ["table", "prediction", "reference"]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"table": "../elsewhere.csv"}, "table must be a file in {folder}, got '../elsewhere.csv'"),
            ({"table": "/etc/hosts"}, "table must be a file in {folder}, got '/etc/hosts'"),
            ({"out": "../new.csv"}, "out must be a file in {folder}, got '../new.csv'"),
            ({"out": "answers.csv"}, "out must be a new file, got 'answers.csv': choose another name"),
            ({"table": "no.csv"}, "{folder}/no.csv does not exist; check the name of the file"),
            ({"sheet": "1"}, "sheet applies to xlsx, not to csv; leave it out"),
        ],
    )
    def test_a_file_that_cannot_be_used(self, toy_embedder, folder, arguments, message):
        arguments = {"table": "answers.csv", "text": "comment", **arguments}
        before = sorted(folder.parent.rglob("*"))
        stated = refusal(self.server(toy_embedder, folder), "rate_table", **arguments)
        assert stated == message.format(folder=folder)
        assert sorted(folder.parent.rglob("*")) == before

    def test_a_name_that_no_file_can_have_is_the_callers_mistake(self, toy_embedder, folder):
        (folder / "first").symlink_to("second")
        (folder / "second").symlink_to("first")
        server = self.server(toy_embedder, folder)
        for name in ("answers.csv\0", "first", "a" * 300):
            for arguments in ({"table": name}, {"table": "answers.csv", "out": f"{name}/x.csv"}):
                message = refusal(server, "rate_table", text="comment", **arguments)
                assert " must be a file in " in message

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
    def test_a_pipe_is_no_table_as_nothing_may_ever_be_written_to_it(self, toy_embedder, folder):
        os.mkfifo(folder / "pipe.csv")
        message = refusal(self.server(toy_embedder, folder), "rate_table", table="pipe.csv", text="comment")
        assert message == f"table must be a file in {folder}, got 'pipe.csv'"

    @pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory that Linux applies")
    def test_a_table_that_ends_its_reader_is_an_error_of_the_call(self, toy_embedder, folder):
        shutil.copy(CORPUS / "xlsx" / "claims-many-strings.xlsx", folder / "a.xlsx")
        server = self.server(toy_embedder, folder)
        message = refusal(server, "rate_table", table="a.xlsx", text="text")
        assert "a.xlsx cannot be read as an Excel workbook: its reader " in message
        assert call(server, "rate_table", table="answers.csv", text="comment", floor=None).structured_content

    def test_the_source_is_named_as_the_call_names_it(self, toy_embedder, folder):
        columns = {"prediction": "comment", "reference": ["country"], "method": "cosine"}
        server = self.server(toy_embedder, folder)
        matched = call(server, "match_table", table="answers.csv", **columns).structured_content
        rated = call(server, "rate_table", table="answers.csv", text="comment", floor=None).structured_content
        assert matched["source"] == rated["source"] == "answers.csv"

    def test_a_link_to_another_folder_is_no_way_out(self, toy_embedder, folder):
        (folder / "link.csv").symlink_to(folder.parent / "elsewhere.csv")
        message = refusal(self.server(toy_embedder, folder), "rate_table", table="link.csv", text="comment")
        assert message == f"table must be a file in {folder}, got 'link.csv'"

    def test_a_folder_that_does_not_exist_or_is_a_file(self, toy_embedder, folder):
        for name in ("none", "answers.csv"):
            with pytest.raises(
                InputError, match=f"folder must be an existing folder, got .*/{name}: create it"
            ):
                self.server(toy_embedder, folder / name)


CODES = [
    {"name": "price", "definition": "cost", "examples": ["too expensive", "good value"]},
    {"name": "staff", "definition": "people", "examples": ["friendly waiter", "rude reception"]},
]


class TestCode:
    def test_answers_get_codes_and_shares_with_wilson_intervals(self, toy_embedder):
        texts = ["too expensive", "rude reception", None, "good value"]
        content = call(server_with(toy_embedder), "code", texts=texts, codes=CODES).structured_content
        assert [row["outcome"] for row in content["results"]] == ["coded", "coded", "no-answer", "coded"]
        assert [row["price"] for row in content["results"]] == [1, 0, None, 1]
        assert [row["staff"] for row in content["results"]] == [0, 1, None, 0]
        assert content["counts"] == {"coded": 3, "no-answer": 1}
        # Wilson's interval of 1 in 3: (1/3 + z²/6 ± z √(2/27 + z²/36)) / (1 + z²/3), z = 1.96.
        staff = content["estimates"]["staff"]
        assert [staff["value"], staff["low"], staff["high"]] == pytest.approx(
            [1 / 3, 0.0615, 0.7923], abs=1e-4
        )
        assert (staff["n"], staff["n_left_out"]) == (3, 1)
        assert content["cautions"][0].startswith("Not calibrated")

    @pytest.mark.parametrize(
        ("codes", "message"),
        [
            (CODES[:1], "a codebook needs at least 2 codes, got 1"),
            (
                [CODES[0], {**CODES[1], "name": "price"}],
                "codes 'price' and 'price' have the same name: rename one",
            ),
            ([CODES[0], {"name": "staff"}], "code 2, definition is missing: add it (and 1 more mistake)"),
            (
                [CODES[0], {**CODES[1], "definition": "x" * 21}],
                "each text of codes must have at most 20 characters, got 21: shorten it",
            ),
        ],
    )
    def test_a_codebook_that_cannot_be_used(self, toy_embedder, codes, message):
        assert (
            refusal(server_with(toy_embedder, max_characters=20), "code", texts=["a"], codes=codes) == message
        )


class Four:
    """A chat model that gives every answer 4 of 5 points."""

    name = "four"
    signature = Signature.of("chat", model="four")

    def __init__(self):
        self.prompts = []

    async def complete(self, request):
        self.prompts.append(request.messages[-1].text)
        return Reply('{"score": 4, "explanation": "as it should be"}')


class FourThen(Four):
    """The same, but its second call never ends, and later ones raise ``then``."""

    def __init__(self):
        super().__init__()
        self.second, self.then = asyncio.Event(), None

    async def complete(self, request):
        reply = await super().complete(request)
        if len(self.prompts) == 2:
            self.second.set()
            await asyncio.Event().wait()
        if self.then is not None:
            raise self.then
        return reply


class TestJudge:
    def judge(self, embedder, model, **budget):
        from semscale.serving.tools import JudgeCalls, agent_server, agent_tools

        judge = JudgeCalls(lambda: model, Running(budget=Budget(**budget), ledger=False))
        return agent_server(agent_tools(lambda _: embedder, ServiceLimits(max_texts=5), judge))

    def test_the_arguments_are_the_settings_of_a_judge(self, toy_embedder):
        listed = talk(self.judge(toy_embedder, Four()), list_tools).tools
        (tool,) = [tool for tool in listed if tool.name == "judge"]
        further = {"questions", "answers", "references", "rows"}
        assert (
            set(tool.input_schema["properties"]) == set(JudgeSettings.model_fields) - {"criteria"} | further
        )
        assert tool.input_schema["properties"]["samples"]["maximum"] == 1000
        assert tool.annotations.open_world_hint

    def test_a_score_is_a_part_of_the_scale(self, toy_embedder):
        model = Four()
        content = call(
            self.judge(toy_embedder, model),
            "judge",
            questions=["Where is the Louvre?", None],
            answers=["In Paris.", "In Lyon."],
            references=[["In the French capital."], None],
        ).structured_content
        first, second = content["results"]
        assert first["score"] == 0.75  # the fourth of five levels from 0 to 1
        assert first["explanation"] == "as it should be"
        assert (second["status"], second["score"]) == ("missing", None)
        assert content["counts"] == {"scored": 1, "missing": 1}
        (prompt,) = model.prompts
        assert "Where is the Louvre?" in prompt
        assert "In the French capital." in prompt

    def test_all_calls_share_the_budget(self, toy_embedder):
        async def conversation(client):
            rows = {"questions": ["a", "b"], "answers": ["c", "d"]}
            first = await client.call_tool("judge", rows)
            second = await client.call_tool("judge", {"questions": ["e"] * 2, "answers": ["f", "g"]})
            return first.structured_content, second.structured_content

        first, second = talk(self.judge(toy_embedder, Four(), calls=3), conversation)
        assert (first["counts"], second["counts"]) == ({"scored": 2}, {"scored": 1, "unfinished": 1})
        (caution,) = [caution for caution in second["cautions"] if "cap of 3 calls is reached" in caution]
        assert "the cap holds for all calls together until the server ends" in caution
        assert "the same command" not in caution

    def test_calls_of_a_cancelled_or_a_failed_tool_call_count(self, toy_embedder):
        import anyio

        rows = {"questions": ["a", "b"], "answers": ["c", "d"]}

        async def cancelled(client):
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "judge", rows)
                await model.second.wait()
                group.cancel_scope.cancel()

        async def conversation(client):
            await cancelled(client)
            model.then = CallError("four: no credit", kind=FailureKind.NO_QUOTA)
            failed = await client.call_tool("judge", {"questions": ["e"], "answers": ["f"]})
            model.then = None
            return failed, await client.call_tool("judge", {"questions": ["g"] * 2, "answers": ["h", "i"]})

        model = FourThen()
        failed, last = talk(self.judge(toy_embedder, model, calls=4), conversation)
        assert failed.content[0].text == "four: no credit"
        # Two calls of the cancelled tool call, one of the failed one, and the last that the cap allows.
        assert len(model.prompts) == 4
        assert last.structured_content["counts"] == {"scored": 1, "unfinished": 1}

    def test_a_scale_is_a_template_and_a_file_is_not(self, toy_embedder):
        server, rows = self.judge(toy_embedder, Four()), {"questions": ["a"], "answers": ["b"]}
        content = call(server, "judge", **rows, template="quality").structured_content
        assert "|template:quality#" in content["signature"]
        message = refusal(server, "judge", **rows, template=str(PROJECT_FILE))
        assert message.startswith(f"unknown template '{PROJECT_FILE}'")
        assert refusal(server, "judge", **rows, template="likerd").startswith(
            "unknown template 'likerd': did you mean 'likert'?"
        )

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"questions": ["a"], "answers": ["b", "c"]}, "got 1 questions and 2 answers"),
            ({"questions": ["a"], "answers": ["b"], "samples": 0}, "samples must be >= 1, got 0"),
            ({"questions": ["a"] * 6, "answers": ["b"] * 6}, "questions must have at most 5 texts, got 6"),
        ],
    )
    def test_a_bad_argument_is_refused_before_anything_is_asked(self, toy_embedder, arguments, message):
        model = Four()
        assert message in refusal(self.judge(toy_embedder, model), "judge", **arguments)
        assert model.prompts == []

    def test_options_of_calls_need_a_chat_model(self, capsys):
        assert main(["mcp", "--max-calls", "3"]) == 2
        assert capsys.readouterr().err == "semscale: --max-calls belongs to --chat-model NAME\n"

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (
                ["--chat-url", "http://localhost:1/v1", "--max-cost", "2"],
                "the price of judge-one is not known",
            ),
            (
                ["--chat-url", "http://localhost:1/v1", "--chat-key-variable", "NO_SUCH_KEY"],
                "NO_SUCH_KEY is not set",
            ),
            ([], "OPENAI_API_KEY is not set"),
        ],
    )
    def test_an_endpoint_that_no_call_can_use_is_refused_at_the_start(
        self, monkeypatch, tmp_path, capsys, options, message
    ):
        for variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SEMSCALE_PRICES", "SEMSCALE_OFFLINE"):
            monkeypatch.delenv(variable, raising=False)
        monkeypatch.setenv("SEMSCALE_LEDGER", str(tmp_path / "replies.sqlite"))
        assert main(["mcp", "--chat-model", "judge-one", *options]) == 2
        refused = capsys.readouterr().err
        assert message in refused
        assert refused.count("\n") == 1


def test_a_cancelled_call_leaves_the_server_at_work(gated):
    import anyio

    async def conversation(client):
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "rate", {"texts": ["good"]})
            await anyio.to_thread.run_sync(gated.begun.acquire)
            group.cancel_scope.cancel()
        gated.let.set()
        return await client.call_tool("rate", {"texts": ["bad"], "floor": None})

    assert talk(server_with(gated), conversation).structured_content["counts"] == {"scored": 1}


class TestProcess:
    def test_a_client_starts_the_command_and_calls_it(self):
        from mcp import StdioServerParameters, stdio_client

        parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=dict(os.environ))
        result = talk(stdio_client(parameters), lambda client: client.call_tool("list_scales"))
        assert "quality" in [scale["name"] for scale in result.structured_content["scales"]]

    @pytest.mark.parametrize("stop", [None, signal.SIGINT, signal.SIGTERM])
    def test_the_end_of_the_input_or_a_signal_ends_it_without_a_message(self, stop):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(COMMAND, text=True, **pipes) as process:
            process.stdin.write(json.dumps(HELLO) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert answer["result"]["serverInfo"]["name"] == "semscale"
            if stop is None:
                process.stdin.close()
            else:
                process.send_signal(stop)
            assert process.wait(60) == 0
            assert process.stderr.read() == ""

    def test_a_client_that_reads_no_answer_is_no_error(self):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(COMMAND, text=True, **pipes)
        process.stdout.close()
        _, errors = process.communicate(json.dumps(HELLO) + "\n", timeout=60)
        assert (process.returncode, errors) == (0, "")
