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
from tests.fuzz.targets import CORPUS

import semscale
from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.chat.runner import Running
from semscale.chat.settings import Budget
from semscale.cli.main import main
from semscale.errors import InputError
from semscale.judging.settings import JudgeSettings
from semscale.serving.instruments import open_requested
from semscale.serving.requests import ConsistencyFields, MatchFields, RatingFields, ServiceLimits
from semscale.signature import Signature
from semscale.store.parts import Parts

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
    from semscale.serving.agent_server import agent_server
    from semscale.serving.tools import agent_tools

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


def all_tools(embedder, folder):
    """Return the tools of a server with a folder and a chat model, by name."""
    from semscale.serving.agent_server import agent_server
    from semscale.serving.judging import JudgeCalls
    from semscale.serving.tools import agent_tools

    judge = JudgeCalls(Four, Running(ledger=False))
    server = agent_server(agent_tools(lambda _: embedder, ServiceLimits(), judge, folder))
    listed = talk(server, list_tools)
    return listed, {tool.name: tool for tool in listed.tools}


class TestList:
    @pytest.mark.exhaustive
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
            further = tools[name].description.rpartition("Further arguments: ")[2].rstrip(".").split(", ")
            switches = {"rows", "show_anyway"} if name == "rate" else {"rows"}
            assert {*arguments, *further} == {*fields.model_fields, *switches}
            assert all(argument["description"] for argument in arguments.values())
            assert tools[name].annotations.read_only_hint
        assert tools["rate"].input_schema["required"] == ["texts"]

    def test_a_judges_replies_have_bounds(self, toy_embedder, tmp_path):
        _, tools = all_tools(toy_embedder, tmp_path)
        replies = tools["judge"].input_schema["properties"]["replies"]
        assert (replies["type"], replies["minimum"], replies["maximum"]) == ("integer", 1, 1000)

    def test_the_list_of_all_tools_has_fewer_than_15000_characters(self, toy_embedder, tmp_path):
        listed, tools = all_tools(toy_embedder, tmp_path)
        assert len(tools) == 9
        assert len(listed.model_dump_json(by_alias=True, exclude_none=True)) < 15_000

    def test_every_argument_description_ends_with_a_valid_example(self, toy_embedder, tmp_path):
        from jsonschema import Draft202012Validator

        _, tools = all_tools(toy_embedder, tmp_path)
        for tool in tools.values():
            for argument in tool.input_schema["properties"].values():
                example = json.loads(argument["description"].rpartition(" Example: ")[2])
                schema = {**argument, "$defs": tool.input_schema.get("$defs", {})}
                Draft202012Validator(schema).validate(example)

    def test_concept_has_the_same_name_in_all_tools(self, toy_embedder, tmp_path):
        _, tools = all_tools(toy_embedder, tmp_path)
        arguments = {name: set(tool.input_schema["properties"]) for name, tool in tools.items()}
        for name, things in (
            ("rate", {"texts", "scale"}),
            ("match", {"predictions", "references", "method"}),
            ("consistency", {"answers", "samples"}),
        ):
            assert things <= arguments[name] & arguments[f"{name}_table"]
        assert {"questions", "answers", "references", "replies"} <= arguments["judge"]
        assert not {"samples", "temperature", "method", "seed"} & arguments["judge"]  # other things elsewhere
        everything = set().union(*arguments.values())
        assert not {"text", "prediction", "reference", "answer", "sample", "question"} & everything

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
            (
                {"text": ["good"]},
                "2 mistakes: (1) unknown key 'text': did you mean 'texts'?; (2) texts is missing: add it",
            ),
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
    def test_invalid_argument_is_named_in_a_single_line(self, toy_embedder, arguments, message):
        server = server_with(toy_embedder, max_texts=3, max_characters=20)
        assert refusal(server, "rate", **arguments) == message

    def test_all_mistakes_of_a_call_are_reported_at_once(self, toy_embedder):
        server = server_with(toy_embedder, max_characters=20)
        wrong = {
            "texts": ["a" * 21],
            "scale": "qualit",
            "temperature": "1",
            "missing": [1, "NA", None],
            "language": 5,
            "rows": "no",
            "scales": "quality",
        }
        message = refusal(server, "rate", **wrong)
        assert message.startswith("7 mistakes: (1) unknown key 'scales': did you mean 'scale'?; (2) ")
        for part in (
            "texts[0] must have at most 20 characters, got 21",
            "unknown scale 'qualit': did you mean 'quality'?",
            "temperature must be a number, got '1'",
            "missing must be codes such as 'NA' or '-99', got 1",
            "language must be text",
            "rows must be true or false, got 'no'",
        ):
            assert part in message

    def test_mistakes_of_lists_and_settings_are_reported_together(self, toy_embedder):
        message = refusal(
            server_with(toy_embedder),
            "match",
            predictions=["a"],
            references=["b", "c"],
            guards={"numbers": "off"},
            empty="never",
        )
        assert message.startswith("3 mistakes: ")
        assert "predictions and references must have equal lengths" in message
        assert "guards must be among negation" in message
        assert "empty must be missing or wrong" in message

    def test_all_mistakes_of_a_scale_are_reported_at_once(self, toy_embedder):
        scale = {"question": "How is it?", "points": [{"value": 1}], "anchor_sets": {}, "colour": "red"}
        message = refusal(server_with(toy_embedder), "rate", texts=["a"], scale=scale, temperature=-1)
        for part in (
            "4 mistakes: ",
            "temperature must be 0 or more, got -1",
            "scale 'of-the-request': unknown key 'colour': remove it",
            "scale 'of-the-request': title is missing: add it",
            "scale 'of-the-request': point 1, label is missing: add it",
        ):
            assert part in message

    def test_value_of_an_impossible_type_is_a_single_error(self, toy_embedder):
        message = refusal(server_with(toy_embedder), "rate", texts=["a"], scale=5)
        assert message == "scale must be a text or a mapping, got 5"

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
        from semscale.serving.agent_server import agent_server
        from semscale.serving.tools import agent_tools

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
        from semscale.serving.agent_server import agent_server
        from semscale.serving.tools import agent_tools

        return agent_server(agent_tools(lambda _: embedder, ServiceLimits(), folder=folder))

    @pytest.mark.exhaustive
    def test_a_table_is_summed_up_and_its_rows_are_written(self, toy_embedder, folder):
        server = self.server(toy_embedder, folder)
        rated = {"table": "answers.csv", "texts": "comment", "by": "country", "floor": None}
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
        assert tools["match_table"].input_schema["required"] == ["table", "predictions", "references"]

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
    @pytest.mark.exhaustive
    def test_a_file_that_cannot_be_used(self, toy_embedder, folder, arguments, message):
        arguments = {"table": "answers.csv", "texts": "comment", **arguments}
        before = sorted(folder.parent.rglob("*"))
        stated = refusal(self.server(toy_embedder, folder), "rate_table", **arguments)
        assert stated == message.format(folder=folder)
        assert sorted(folder.parent.rglob("*")) == before

    def test_all_mistakes_about_a_table_are_reported_at_once(self, toy_embedder, folder):
        wrong = {"table": "answers.csv", "texts": "coment", "by": ["land"], "weight": "w", "out": "../x.csv"}
        message = refusal(self.server(toy_embedder, folder), "rate_table", **wrong, scale="qualit")
        assert message.startswith("5 mistakes: ")
        for part in (
            f"texts: {folder}/answers.csv has no column 'coment'; did you mean 'comment'?",
            f"by: {folder}/answers.csv has no column 'land'",
            f"weight: {folder}/answers.csv has no column 'w'",
            "out must be a file in ",
            "unknown scale 'qualit'",
        ):
            assert part in message

    @pytest.mark.parametrize(
        ("tool", "arguments", "message"),
        [
            ("rate_table", {"texts": "empty"}, "texts: "),
            ("consistency_table", {"answers": "comment"}, "columns (samples, one or several)"),
            (
                "match_table",
                {"predictions": "comment", "references": ["comment"]},
                "references must be another",
            ),
        ],
    )
    @pytest.mark.exhaustive
    def test_messages_use_the_names_of_arguments(self, toy_embedder, folder, tool, arguments, message):
        (folder / "answers.csv").write_text("comment,empty\ngood,\nbad,\n")
        stated = refusal(self.server(toy_embedder, folder), tool, table="answers.csv", **arguments)
        assert message in stated

    @pytest.mark.exhaustive
    def test_a_name_that_no_file_can_have_is_the_callers_mistake(self, toy_embedder, folder):
        (folder / "first").symlink_to("second")
        (folder / "second").symlink_to("first")
        server = self.server(toy_embedder, folder)
        for name in ("answers.csv\0", "first", "a" * 300):
            for arguments in ({"table": name}, {"table": "answers.csv", "out": f"{name}/x.csv"}):
                message = refusal(server, "rate_table", texts="comment", **arguments)
                assert " must be a file in " in message

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
    def test_a_pipe_is_no_table_as_nothing_may_ever_be_written_to_it(self, toy_embedder, folder):
        os.mkfifo(folder / "pipe.csv")
        message = refusal(self.server(toy_embedder, folder), "rate_table", table="pipe.csv", texts="comment")
        assert message == f"table must be a file in {folder}, got 'pipe.csv'"

    @pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory that Linux applies")
    @pytest.mark.exhaustive
    def test_a_table_that_ends_its_reader_is_an_error_of_the_call(self, toy_embedder, folder):
        shutil.copy(CORPUS / "xlsx" / "claims-many-strings.xlsx", folder / "a.xlsx")
        server = self.server(toy_embedder, folder)
        message = refusal(server, "rate_table", table="a.xlsx", text="text")
        assert "a.xlsx cannot be read as an Excel workbook: its reader " in message
        assert call(server, "rate_table", table="answers.csv", texts="comment", floor=None).structured_content

    @pytest.mark.exhaustive
    def test_the_source_is_named_as_the_call_names_it(self, toy_embedder, folder):
        columns = {"predictions": "comment", "references": ["country"], "method": "cosine"}
        server = self.server(toy_embedder, folder)
        matched = call(server, "match_table", table="answers.csv", **columns).structured_content
        rated = call(
            server, "rate_table", table="answers.csv", texts="comment", floor=None
        ).structured_content
        assert matched["source"] == rated["source"] == "answers.csv"

    def test_a_link_to_another_folder_is_no_way_out(self, toy_embedder, folder):
        (folder / "link.csv").symlink_to(folder.parent / "elsewhere.csv")
        message = refusal(self.server(toy_embedder, folder), "rate_table", table="link.csv", texts="comment")
        assert message == f"table must be a file in {folder}, got 'link.csv'"

    @pytest.fixture
    def outside(self, folder, tmp_path_factory):
        """A Parquet file outside of the folder."""
        path = tmp_path_factory.mktemp("outside") / "secret.parquet"
        pl.DataFrame({"comment": ["A secret.", "Another."]}).write_parquet(path)
        return path

    @pytest.mark.exhaustive
    def test_a_folder_of_parquet_files_is_read_without_leaving_the_servers_folder(
        self, toy_embedder, folder, outside
    ):
        survey = folder / "survey"
        survey.mkdir()
        pl.DataFrame({"comment": ["Fine.", None]}).write_parquet(survey / "a.parquet")
        server = self.server(toy_embedder, folder)
        for table in ("survey", "survey/", "./survey/../survey", "."):
            content = call(server, "rate_table", table=table, texts="comment", floor=None).structured_content
            assert content["counts"] == {"scored": 1, "missing": 1}
        (survey / "b.parquet").symlink_to(survey / "a.parquet")  # a link that stays inside
        content = call(server, "rate_table", table="survey", texts="comment", floor=None).structured_content
        assert content["rows"] == 4
        (survey / "deep").mkdir()
        (survey / "deep" / "c.parquet").symlink_to(outside)
        for table in ("survey", ".", "survey/deep"):
            message = refusal(server, "rate_table", table=table, texts="comment")
            assert message.startswith(f"table must be a file in {folder}, got ")
            assert "c.parquet" in message

    @pytest.mark.exhaustive
    def test_links_to_folders_outside_are_not_followed(self, toy_embedder, folder, outside):
        (folder / "link").symlink_to(outside.parent)
        server = self.server(toy_embedder, folder)
        for table in ("link", "link/secret.parquet"):
            message = refusal(server, "rate_table", table=table, texts="comment")
            assert message == f"table must be a file in {folder}, got {table!r}"
        assert "no .parquet files" in refusal(server, "rate_table", table=".", texts="comment")
        message = refusal(server, "rate_table", table="answers.csv", texts="comment", out="link/new.csv")
        assert message == f"out must be a file in {folder}, got 'link/new.csv'"

    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux opens a file again by its descriptor")
    @pytest.mark.parametrize("table", ["answers.csv", "survey"])
    @pytest.mark.exhaustive
    def test_a_file_that_is_swapped_for_a_link_during_a_call_is_not_followed(
        self, toy_embedder, folder, outside, monkeypatch, table
    ):
        pl.DataFrame({"comment": ["One", "Two", "Three"]}).write_csv(outside.with_suffix(".csv"))
        (folder / "survey").mkdir()
        pl.DataFrame({"comment": ["Fine."]}).write_parquet(folder / "survey" / "a.parquet")
        (folder / "answers.csv").write_text("comment\nFine.\n")
        swapped = folder / ("survey/a.parquet" if table == "survey" else table)

        def swap(*arguments, **settings):
            swapped.unlink()
            swapped.symlink_to(outside.with_suffix(swapped.suffix))
            return open_requested(*arguments, **settings)

        monkeypatch.setattr("semscale.serving.tools.open_requested", swap)
        server = self.server(toy_embedder, folder)
        content = call(server, "rate_table", table=table, texts="comment", floor=None).structured_content
        assert content["rows"] == 1
        assert "must be a file in" in refusal(server, "rate_table", table=table, texts="comment")

    @pytest.mark.parametrize("other", ["outside", "inside"])
    @pytest.mark.exhaustive
    def test_an_output_that_becomes_a_link_during_a_call_is_replaced_itself(
        self, toy_embedder, folder, tmp_path_factory, monkeypatch, other
    ):
        file = (folder if other == "inside" else tmp_path_factory.mktemp("elsewhere")) / "precious.csv"
        file.write_text("precious")
        write = Parts.write

        def swap(*arguments, **settings):
            (folder / "rated.csv").symlink_to(file)
            write(*arguments, **settings)

        monkeypatch.setattr(Parts, "write", swap)
        arguments = {"table": "answers.csv", "texts": "comment", "floor": None, "out": "rated.csv"}
        assert call(self.server(toy_embedder, folder), "rate_table", **arguments).structured_content
        assert file.read_text() == "precious"
        assert not (folder / "rated.csv").is_symlink()

    def test_an_empty_name_is_no_table(self, toy_embedder, folder):
        message = refusal(self.server(toy_embedder, folder), "rate_table", table="", texts="comment")
        assert message == f"table must be a file in {folder}, got ''"

    @pytest.mark.parametrize(
        "link", ["rated.csv.parts", "rated.csv.parts/lock", "rated.csv.parts/manifest.json"]
    )
    @pytest.mark.exhaustive
    def test_nothing_is_written_through_a_link_of_unfinished_parts(
        self, toy_embedder, folder, tmp_path_factory, link
    ):
        elsewhere = tmp_path_factory.mktemp("elsewhere")
        target = elsewhere if link.endswith(".parts") else elsewhere / "file"
        if target is not elsewhere:
            target.write_text("mine")
        (folder / link).parent.mkdir(exist_ok=True)
        (folder / link).symlink_to(target)
        arguments = {"table": "answers.csv", "texts": "comment", "out": "rated.csv"}
        message = refusal(self.server(toy_embedder, folder), "rate_table", **arguments)
        assert message == "out: rated.csv.parts has a link or a pipe: remove it, or choose another name"
        assert [path.read_text() for path in elsewhere.iterdir()] == ["mine"] * (target is not elsewhere)

    @pytest.mark.exhaustive
    def test_pipe_instead_of_a_lock_file_is_refused(self, toy_embedder, folder):
        (folder / "rated.csv.parts").mkdir()
        os.mkfifo(folder / "rated.csv.parts" / "lock")
        arguments = {"table": "answers.csv", "texts": "comment", "out": "rated.csv"}
        message = refusal(self.server(toy_embedder, folder), "rate_table", **arguments)
        assert message == "out: rated.csv.parts has a link or a pipe: remove it, or choose another name"

    @pytest.mark.parametrize("name", ["rated.csv/", "."])
    @pytest.mark.exhaustive
    def test_a_folder_is_no_output(self, toy_embedder, folder, name):
        arguments = {"table": "answers.csv", "texts": "comment", "out": name}
        message = refusal(self.server(toy_embedder, folder), "rate_table", **arguments)
        assert message.startswith("out must be a")
        assert not (folder / "rated.csv").exists()

    @pytest.mark.exhaustive
    def test_a_cancelled_call_leaves_its_output_free(self, gated, folder):
        import anyio

        rated = {"table": "answers.csv", "texts": "comment", "floor": None, "out": "rated.csv"}

        async def conversation(client):
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "rate_table", rated)
                await anyio.to_thread.run_sync(gated.begun.acquire)
                refused = await client.call_tool("rate_table", rated)
                group.cancel_scope.cancel()
            async with anyio.create_task_group() as group:
                group.start_soon(release)
                return refused, await client.call_tool("rate_table", rated)

        async def release():  # the cancelled call ends at its next step, for which the next call waits
            gated.let.set()

        refused, rated_again = talk(self.server(gated, folder), conversation)
        assert refused.content[0].text.startswith("out: an earlier call is still writing rated.csv: wait")
        assert rated_again.structured_content["counts"] == {"scored": 2, "missing": 1}
        assert (folder / "rated.csv").exists()
        assert not (folder / "rated.csv.parts").exists()

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
        server = server_with(toy_embedder)
        content = call(server, "code", texts=texts, codes=CODES, sentiment="none").structured_content
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
        assert content["estimates"]["staff"]["sentiment"] is None
        assert content["cautions"][0].startswith("Not calibrated")

    def test_each_code_has_its_evidence_reason_and_sentiment(self, toy_embedder):
        texts = ["too expensive", "good value"]
        content = call(server_with(toy_embedder), "code", texts=texts, codes=CODES).structured_content
        expensive, value = content["results"]
        assert (expensive["price_evidence"], value["price_evidence"]) == ("too expensive", "good value")
        assert expensive["price_sentiment"] < 3 < value["price_sentiment"]
        assert content["estimates"]["price"]["sentiment"]["positive"]["value"] == 0.5
        assert "sentiment_model:e5-small" in content["signature"]

    @pytest.mark.parametrize(
        ("scale", "message"),
        [("niceness", "unknown scale"), ("frequency", "has no good end"), ("./mine.yaml", "unknown scale")],
    )
    def test_sentiment_needs_a_shipped_scale_with_a_good_end(self, toy_embedder, scale, message):
        assert message in refusal(
            server_with(toy_embedder), "code", texts=["a"], codes=CODES, sentiment=scale
        )

    @pytest.mark.parametrize(
        ("codes", "message"),
        [
            (CODES[:1], "a codebook needs at least 2 codes, got 1"),
            (
                [CODES[0], {**CODES[1], "name": "price"}],
                "codes 'price' and 'price' have the same name: rename one",
            ),
            (
                [CODES[0], {"name": "staff"}],
                "2 mistakes: (1) code 2, definition is missing: add it; "
                "(2) code 2, examples is missing: add it",
            ),
            (
                [{**CODES[0], "definition": " ", "examples": [""]}, {**CODES[1], "name": "none"}],
                "3 mistakes: (1) code 'price' needs a definition: describe what it covers; (2) code 'price' "
                "needs at least one example, and none may be empty; (3) name must name a code, and 'none' "
                "means that no code applies",
            ),
            (
                [CODES[0], {**CODES[1], "name": "price", "parent": "net"}],
                "2 mistakes: (1) codes 'price' and 'price' have the same name: rename one; (2) code 'price': "
                "there is no code 'net', its parent",
            ),
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

    def test_a_right_codebook_is_read_beside_another_mistake(self, toy_embedder):
        message = refusal(server_with(toy_embedder), "code", texts=["a"], codes=CODES, raws=False)
        assert message == "unknown key 'raws': did you mean 'rows'?"


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
        from semscale.serving.agent_server import agent_server
        from semscale.serving.judging import JudgeCalls
        from semscale.serving.tools import agent_tools

        judge = JudgeCalls(lambda: model, Running(budget=Budget(**budget), ledger=False))
        return agent_server(agent_tools(lambda _: embedder, ServiceLimits(max_texts=5), judge))

    def test_the_arguments_are_the_settings_of_a_judge(self, toy_embedder):
        listed = talk(self.judge(toy_embedder, Four()), list_tools).tools
        (tool,) = [tool for tool in listed if tool.name == "judge"]
        unlisted = tool.description.rpartition("Further arguments: ")[2].rstrip(".").split(", ")
        renamed = {
            "samples": "replies",
            "temperature": "chat_temperature",
            "seed": "chat_seed",
            "method": "reply",
        }
        settings = {renamed.get(name, name) for name in JudgeSettings.model_fields if name != "criteria"}
        further = {"questions", "answers", "references", "rows"}
        assert {*tool.input_schema["properties"], *unlisted} == settings | further
        assert tool.annotations.open_world_hint

    def test_an_argument_that_the_schema_leaves_out_is_accepted(self, toy_embedder):
        model = Four()
        rows = {"questions": ["a"], "answers": ["b"]}
        content = call(
            self.judge(toy_embedder, model),
            "judge",
            **rows,
            replies=2,
            chat_temperature=0.5,
            order="score-only",
        ).structured_content
        assert "|samples:2" in content["signature"]
        assert "|order:score-only" in content["signature"]
        assert len(model.prompts) == 2

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
            ({"questions": ["a"], "answers": ["b"], "replies": 0}, "replies must be >= 1, got 0"),
            (
                {"questions": ["a"] * 5, "answers": ["b"] * 5, "replies": 11},
                "replies times answers must be at most 50, got 55",
            ),
            (
                {"questions": ["a"], "answers": ["b"], "replies": 2, "chat_temperature": 0},
                "chat_temperature must be > 0 for 2 samples",
            ),
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
    @pytest.mark.exhaustive
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

    @pytest.mark.exhaustive
    def test_messages_that_the_sdk_cannot_parse_are_answered(self):
        calls = {
            2: '{"questions": ["\\ud800"], "\\udfff": 1}',
            3: '{"texts": %s}' % ("[" * 300 + "]" * 300),
            4: '{"texts": %s}' % ("9" * 5000),
            5: '{"texts": oops}',
        }
        form = (
            '{"method": "tools/call", "params": {"name": "rate", "arguments": %s}, '
            '"id": %d, "jsonrpc": "2.0"}'
        )
        initialized = '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
        lines = [json.dumps(HELLO), initialized, "", *(form % (call, id) for id, call in calls.items())]
        lines += [
            '{"jsonrpc": "2.0", "id": 6}',
            '{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": 5}',
            '[{"jsonrpc": "2.0", "id": 8, "method": "ping"}]',
        ]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(COMMAND, text=True, **pipes) as process:
            process.stdin.write("\n".join([*lines, ""]))
            process.stdin.flush()
            answers = [json.loads(process.stdout.readline()) for _ in range(8)]
            process.stdin.close()
            assert process.wait(60) == 0
        by_id = {answer["id"]: answer for answer in answers}
        assert by_id[2]["result"]["content"][0]["text"].startswith("3 mistakes: ")
        for number in (3, 4, 5):
            assert by_id[number]["error"]["message"].startswith("the message must be JSON: ")
        for number in (6, 7, None):  # a batch is no message, and has no ID
            assert by_id[number]["error"]["code"] == -32600

    @pytest.mark.exhaustive
    def test_a_client_that_reads_no_answer_is_no_error(self):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(COMMAND, text=True, **pipes)
        process.stdout.close()
        _, errors = process.communicate(json.dumps(HELLO) + "\n", timeout=60)
        assert (process.returncode, errors) == (0, "")
