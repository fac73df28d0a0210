"""``semscale code`` over tables in parts: resumed, into a folder, from a folder."""

import json

import polars as pl
import pytest

BOOK = """name: phones
codes:
  - {name: power, definition: battery life, examples: [the battery died, my battery]}
  - {name: cost, definition: price paid, examples: [the price rose, my price]}
"""
OPTIONS = ("--text", "text", "--codebook", "codes.yaml", "--human", "hand", "--by", "region")


@pytest.fixture
def answers(tmp_path):
    """40 answers that all differ, half of them about each code, and one that is missing."""
    rows = [
        {"text": f"{word} {n}", "hand": name, "region": "north" if n % 2 else "south"}
        for n in range(20)
        for word, name in (("battery", "power"), ("price", "cost"))
    ]
    table = pl.DataFrame([*rows, {"text": None, "hand": None, "region": "south"}])
    table.write_csv(tmp_path / "answers.csv")
    (tmp_path / "codes.yaml").write_text(BOOK)
    return table


def numbers(ended):
    """What a run found, but for when it was made and where its table is."""
    assert ended.code == 0
    content = json.loads(ended.out)
    return {name: value for name, value in content.items() if name not in {"created", "out"}}


def test_the_size_of_parts_changes_nothing(semscale, answers, tmp_path):
    whole = semscale("code", "answers.csv", *OPTIONS, "--out", "whole.csv", "--json")
    parts = semscale("code", "answers.csv", *OPTIONS, "--out", "parts.csv", "--part-rows", "7", "--json")
    assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert numbers(parts) == numbers(whole)
    assert numbers(whole) == numbers(semscale("code", "answers.csv", *OPTIONS, "--json"))


def test_a_stopped_run_continues_after_its_last_part(semscale, answers, tmp_path, toy_embedder, monkeypatch):
    embed = toy_embedder.embed

    def stopping(texts, **settings):
        if "battery 10" in texts:
            raise KeyboardInterrupt
        return embed(texts, **settings)

    hand = pl.Series("hand", [*answers["hand"][:5], *[None] * 36])
    answers.with_columns(hand).write_csv(tmp_path / "answers.csv")
    options = (*OPTIONS, "--sentiment", "none")  # ratings would embed the units with a code again
    command = ("code", "answers.csv", *options, "--out", "coded.csv", "--part-rows", "10")
    with monkeypatch.context() as patched:
        patched.setattr(toy_embedder, "embed", stopping)
        stopped = semscale(*command)
    assert stopped.code == 3
    assert not (tmp_path / "coded.csv").exists()
    assert (tmp_path / "coded.csv.parts").is_dir()
    toy_embedder.embedded.clear()
    assert semscale(*command).code == 0
    # Two parts of ten rows were finished: of their answers the five hand-coded ones alone are read again.
    again = [text for text in toy_embedder.embedded if text in set(answers["text"].drop_nulls())]
    assert sorted(again) == sorted([*answers["text"][:5], *answers["text"][20:40]])
    assert not (tmp_path / "coded.csv.parts").exists()
    semscale("code", "answers.csv", *options, "--out", "whole.csv")
    assert (tmp_path / "coded.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


@pytest.mark.exhaustive
def test_a_folder_of_partitions_is_read_and_written(semscale, answers, tmp_path):
    (tmp_path / "in").mkdir()
    answers[:25].write_parquet(tmp_path / "in" / "a.parquet")
    answers[25:].write_parquet(tmp_path / "in" / "b.parquet")
    ended = semscale("code", "in", *OPTIONS, "--out", "coded/", "--part-rows", "10")
    assert ended.code == 0
    semscale("code", "answers.csv", *OPTIONS, "--out", "whole.parquet")
    content = pl.concat([pl.read_parquet(path) for path in sorted((tmp_path / "coded").glob("*.parquet"))])
    assert content.equals(pl.read_parquet(tmp_path / "whole.parquet"))


def test_a_restart_without_an_output_is_refused(semscale, answers):
    ended = semscale("code", "answers.csv", *OPTIONS, "--restart")
    assert ended.code == 2
    assert "--restart belongs to --out" in ended.err


def test_a_folder_with_codes_by_other_settings_is_refused(semscale, answers, tmp_path):
    assert semscale("code", "answers.csv", *OPTIONS, "--out", "coded/").code == 0
    written = (tmp_path / "coded" / "part-000000.parquet").read_bytes()
    bare = ("code", "answers.csv", "--text", "text", "--codebook", "codes.yaml", "--out", "coded/")
    ended = semscale(*bare)
    assert ended.code == 2
    assert "labels was hand, now none" in ended.err
    ended = semscale("code", "answers.csv", *OPTIONS, "--out", "coded/", "--given-from", "0.6")
    assert "given_from was 0.4, now 0.6" in ended.err
    assert (tmp_path / "coded" / "part-000000.parquet").read_bytes() == written
    # Groups are no part of the table.
    assert semscale("code", "answers.csv", *OPTIONS[:-2], "--out", "coded/").code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--other-run", "missing.csv"), "missing.csv does not exist"),
        (("--other-run", "others.csv"), "--other-run: others.csv has no column 'text'"),
        (("--rate-scale", "qualty"), "did you mean 'quality'?"),
    ],
)
def test_inputs_needed_at_the_end_are_checked_before_answers_are_scored(
    semscale, answers, tmp_path, toy_embedder, options, message
):
    (tmp_path / "others.csv").write_text("words,semscale_cost\na,1\n")
    toy_embedder.embedded.clear()
    ended = semscale("code", "answers.csv", *OPTIONS, "--out", "coded.csv", *options)
    assert ended.code == 2
    assert message in ended.err
    assert toy_embedder.embedded == []
    assert not (tmp_path / "coded.csv.parts").exists()


@pytest.mark.parametrize("first", ["first.csv", "first.jsonl"])
def test_another_run_may_contain_numbers_among_its_answers(semscale, answers, tmp_path, first):
    lines = [json.dumps({"text": text}) for text in ("battery", 5, "price", None, "")]
    (tmp_path / "mixed.jsonl").write_text("\n".join(lines))
    command = ("code", "mixed.jsonl", "--text", "text", "--codebook", "codes.yaml")
    assert semscale(*command, "--out", first).code == 0
    ended = semscale(*command, "--other-run", first)
    assert ended.code == 0, ended.err


@pytest.mark.parametrize("size", ["50", "2"])
def test_columns_of_json_lines_may_mix_numbers_and_texts(semscale, answers, tmp_path, size):
    """A rating in words is none, and codes may be a list."""
    rows = [
        {"text": "battery", "hand": ["power"], "region": 1, "stars": 5},
        {"text": "price", "hand": "cost", "region": "north", "stars": "many"},
        {"text": "battery", "region": 1, "stars": "4"},
    ]
    (tmp_path / "mixed.jsonl").write_text("\n".join(map(json.dumps, rows)))
    command = ("code", "mixed.jsonl", *OPTIONS, "--rating", "stars", "--part-rows", size, "--json")
    content = numbers(semscale(*command))
    groups = dict.fromkeys((share["group"], share["n"]) for share in content["group_shares"])
    assert list(groups) == [("1", 2), ("north", 1)]
    assert content["hand_coded"] == 2
    power = content["drivers"]["drivers"][0]
    assert (power["n_with"], power["mean_with"]) == (2, 4.5)
