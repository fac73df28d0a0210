"""Waves in several files: ``tables`` compares the last one with those before it."""

import json

import polars as pl
import pytest

SURVEY = """survey: 1
file: may.csv
derive: {content: like >= 2, fresh: new = 'yes'}
leave_out: {status: [test]}
questions:
- {name: like, kind: scale, values: [{value: 1}, {value: 2}, {value: 3}], missing: [9]}
- {name: why, kind: open}
- {name: region, kind: single}
- {name: new, kind: single}
"""
# Of the rows that count, March has 1, 1, 3 and no answer; May has 3, 3, 1 and 2.
MARCH = {
    "like": [1, 1, 3, 9, 3],
    "why": ["dear", "dear", "good", None, "a test"],
    "region": ["N", "S", "N", "S", "N"],
    "w": [1.0, 1.0, 2.0, 1.0, 1.0],
    "status": ["", "", "", "", "test"],
}
MAY = {
    "like": [3, 3, 1, 2],
    "why": ["good", "good", "dear", "dear"],
    "region": ["N", "S", "S", "S"],
    "w": [1.0, 1.0, 1.0, 1.0],
    "new": ["yes", "yes", "no", "yes"],
    "status": [""] * 4,
}


@pytest.fixture
def run(tmp_path, semscale):
    """Write the waves, and tabulate May beside earlier files."""
    (tmp_path / "survey.yaml").write_text(SURVEY)
    pl.DataFrame(MARCH).write_csv(tmp_path / "march.csv")
    pl.DataFrame(MAY).write_csv(tmp_path / "may.csv")

    def tables(*words, earlier=("march.csv",)):
        before = [word for file in earlier for word in ("--earlier", file)]
        ended = semscale("tables", "may.csv", *before, *words, "--min-base", "1", "--json")
        return json.loads(ended.out)["tables"] if ended.code == 0 else ended.err

    return tables


def values(table, line):
    """Return the figures of a line by column, and its change in the total of the last wave."""
    (cells,) = (entry["cells"] for entry in table["lines"] if entry["name"] == line)
    changes = [cell["change"] for cell in cells]
    return [cell["value"] for cell in cells], [change and change["value"] for change in changes]


def test_the_last_wave_is_compared_with_the_one_before(run):
    waves, regions = run("--question", "like", "--banner", "region")
    assert [column["name"] for column in waves["columns"]] == ["Total", "march", "may"]
    assert [column["n"] for column in waves["columns"]] == [7, 3, 4]
    # March: (1 + 1 + 3) / 3, without the test and the 9. May: (3 + 3 + 1 + 2) / 4.
    means, changes = values(waves, "mean")
    assert means[1:] == pytest.approx([5 / 3, 9 / 4])
    assert changes[2] == pytest.approx(9 / 4 - 5 / 3)
    # By region, figures are of May: N has 3; S has 3, 1 and 2. March: N has 1 and 3; S has 1.
    means, changes = values(regions, "mean")
    assert means == pytest.approx([9 / 4, 3, 2])
    assert changes == pytest.approx([9 / 4 - 5 / 3, 3 - 2, 2 - 1])


def test_waves_are_in_the_order_of_the_command(run, tmp_path):
    pl.DataFrame(MARCH | {"like": [2] * 5}).write_csv(tmp_path / "april.csv")
    (waves,) = run("--question", "like", earlier=("april.csv", "march.csv"))
    assert [column["name"] for column in waves["columns"]] == ["Total", "april", "march", "may"]
    assert values(waves, "mean")[0][1:] == pytest.approx([2, 5 / 3, 9 / 4])


def test_weights_and_conditions_hold_for_each_file(run):
    (waves,) = run("--question", "like", "--weight", "w", "--where", "region = 'N'")
    # March in the north: 1 with weight 1, 3 with weight 2. May: 3.
    assert values(waves, "mean")[0][1:] == pytest.approx([7 / 3, 3])
    (waves,) = run("--question", "content")
    assert values(waves, "true")[0][1:] == pytest.approx([1 / 3, 3 / 4])  # nobody knows of the 9


def test_a_question_that_is_new_has_no_answers_in_the_earlier_wave(run, semscale):
    new, like = run("--question", "new", "--question", "like")
    assert [column["n"] for column in new["columns"]] == [4, 0, 4]
    assert values(new, "yes")[0][2] == pytest.approx(3 / 4)
    assert values(like, "mean")[0][1] == pytest.approx(5 / 3)
    shown = semscale("tables", "may.csv", "--earlier", "march.csv", "--question", "like").out
    notes = " ".join(shown.split())
    assert "march.csv has no ‘new’, ‘fresh’: these answers are missing in that wave" in notes
    assert "--wave-order" not in notes  # the order is that of the files


def test_results_belong_to_the_wave_whose_rows_they_fit(run, tmp_path):
    for name, wave, rated in (("a", MAY, [2, 2, 1, 1]), ("b", MARCH, [1, 1, 2, None])):
        kept = pl.DataFrame(wave).head(4)
        of_points = {f"semscale_p_{p}": [None if r is None else float(r == p) for r in rated] for p in (1, 2)}
        kept.with_columns(pl.Series(*entry) for entry in of_points.items()).write_parquet(
            tmp_path / f"{name}.parquet"
        )
    (waves,) = run("--question", "why", "--results", "a.parquet", "--results", "b.parquet")
    assert values(waves, "mean")[0][1:] == pytest.approx([4 / 3, 3 / 2])
    (waves,) = run("--question", "why", "--results", "a.parquet")
    assert [column["n"] for column in waves["columns"]] == [4, 0, 4]
    (waves,) = run("--question", "why", "--results", "b.parquet")
    assert [column["n"] for column in waves["columns"]] == [3, 3, 0]
    pl.read_parquet(tmp_path / "a.parquet").head(3).write_parquet(tmp_path / "c.parquet")
    refused = run("--question", "why", "--results", "c.parquet")
    assert "c.parquet has ratings of 3 rows, and may.csv has 4 that count" in refused
    assert "march.csv" in refused


def test_waves_can_be_coded_with_and_without_hand_codes(run, semscale, tmp_path):
    # Of each wave, the first answer has the code, and the second is unsure.
    for name, wave, kind, value in (("a", MAY, "p", 0.3), ("b", MARCH, "likeness", 0.45)):
        coded = pl.DataFrame(wave).head(4).with_columns(
            pl.Series("semscale_outcome", ["coded", "cannot-tell", "other", "other"]),
            pl.Series("semscale_cost", [1, None, 0, 0]),
            pl.Series(f"semscale_cost_{kind}", [0.9, value, 0.1, 0.1]),
        )  # fmt: skip
        coded.write_parquet(tmp_path / f"{name}.parquet")
    (waves,) = run("--question", "why", "--results", "a.parquet", "--results", "b.parquet")
    assert values(waves, "cost")[0][1:] == pytest.approx([1 / 4, 1.3 / 4])
    for counting in ("by their probability", "as not assigned"):
        assert f"unsure codes count {counting}: 1 answer has one" in waves["notes"]
    mixed = (
        "codes were assigned by Semscale in different ways: ‘march’ without hand codes, ‘may’ with hand "
        "codes; differences between these waves are partly method"
    )
    assert mixed in waves["notes"]
    (waves,) = run("--question", "why", "--results", "a.parquet")
    assert "codes were assigned by Semscale, with hand codes" in waves["notes"]
    pptx = pytest.importorskip("pptx")
    results = ("--results", "a.parquet", "--results", "b.parquet")
    words = ("tables", "may.csv", "--earlier", "march.csv", "--question", "why", *results, "--min-base", "1")
    shown = " ".join(semscale(*words, "--out", "t.pptx").out.split())
    assert f"‘why (codes)’: {mixed}" in shown or f"‘Codes of why’: {mixed}" in shown
    assert "semscale_why_cost_p" not in shown  # which only hand codes give
    _, slide, method = map(text_on, pptx.Presentation(tmp_path / "t.pptx").slides)
    assert all(f"C{mixed[1:]}." in text for text in (slide, method))


def test_waves_that_were_rated_on_several_scales_are_refused(run, tmp_path):
    for name, wave in (("a", MAY), ("b", MARCH)):
        facts = json.dumps([{"measured": "ratings", "text": "why", "title": f"scale {name}"}])
        rated = pl.DataFrame(wave).head(4).with_columns(semscale_p_1=0.5, semscale_p_2=0.5)
        rated.write_parquet(tmp_path / f"{name}.parquet", metadata={"semscale": facts})
    refused = run("--question", "why", "--results", "a.parquet", "--results", "b.parquet")
    assert "b.parquet has ratings of ‘why’ on scale b, and a.parquet on scale a: rate the texts" in refused


@pytest.fixture
def people(tmp_path):
    """Write two waves of 60 people, 40 of whom take part in both, and all rows in one file."""
    rows = range(60)
    march = {
        "id": [*rows],
        "like": [1 + row * 7 % 5 for row in rows],
        "pick": [("tea", "coffee", "water")[row * row % 3] for row in rows],
        "region": [("N", "S")[row % 2] for row in rows],
        "w": [1 + row % 4 / 2 for row in rows],
    }
    may = {
        "id": [row + 20 for row in rows],
        "like": [min(5, 1 + (row + 20) * 7 % 5 + row % 3 // 2) for row in rows],
        "pick": [("tea", "coffee")[row % 2] for row in rows],
        "region": [("N", "S")[row % 2] for row in rows],
        "w": [1 + row % 3 / 2 for row in rows],
    }
    pl.DataFrame(march).write_csv(tmp_path / "march.csv")
    pl.DataFrame(may).write_csv(tmp_path / "may.csv")
    waves = {"may": may, "march": march}  # sums are the same to the last digit in the order of the last wave
    stacked = [pl.DataFrame(wave).with_columns(wave=pl.lit(name)) for name, wave in waves.items()]
    pl.concat(stacked).write_csv(tmp_path / "both.csv")


PAIRED = ("--question", "like", "--question", "pick", "--banner", "region", "--weight", "w", "--json")


def tables_of(ended):
    """Return the tables, with the column of waves named alike."""
    assert ended.code == 0, ended.err
    return json.loads(ended.out.replace('"semscale_wave"', '"wave"').replace('"Wave"', '"wave"'))["tables"]


@pytest.mark.parametrize("pairs", [(), ("--pair-by", "id")])
def test_people_in_several_files_are_paired_as_in_one_file(semscale, people, pairs):
    in_files = tables_of(semscale("tables", "may.csv", "--earlier", "march.csv", *PAIRED, *pairs))
    waves = ("--wave", "wave", "--wave-order", "march,may")
    in_one = tables_of(semscale("tables", "both.csv", *waves, *PAIRED, *pairs))
    assert in_files == in_one
    (change,) = [line["cells"][2]["change"] for line in in_one[0]["lines"] if line["name"] == "mean"]
    assert (change["p"] < 0.05) == bool(pairs)  # who likes it in March likes it in May


def test_ids_of_people_that_a_tool_wrote_as_decimal_numbers_are_paired(semscale, people, tmp_path):
    words = ("tables", "may.csv", "--earlier", "march.csv", *PAIRED, "--pair-by", "id")
    expected = tables_of(semscale(*words))
    march = pl.read_csv(tmp_path / "march.csv")
    march.with_columns(pl.col("id").cast(pl.Float64)).write_csv(tmp_path / "march.csv")
    assert "1.0" in (tmp_path / "march.csv").read_text()
    assert tables_of(semscale(*words)) == expected


def test_a_basket_pairs_people_and_the_description_names_their_ids(semscale, people, tmp_path):
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nfile: may.csv\nquestions:\n- {name: Person, kind: identifier, columns: [id]}\n"
        "- {name: Weight, kind: weight, columns: [w]}\n"
    )
    (tmp_path / "tables.yaml").write_text(
        "earlier: [march.csv]\ntables:\n- {questions: [like], weight: Weight, pair_by: Person}\n"
        "- {questions: [like]}\n"
    )
    words = ("tables", "may.csv", "--basket", "tables.yaml")
    ended = semscale(*words, "--json")
    paired, unpaired = (entry["tables"] for entry in json.loads(ended.out)["entries"])
    assert paired == tables_of_question(semscale, "--pair-by", "id", "--weight", "w")
    assert unpaired == tables_of_question(semscale)
    shown = " ".join(semscale(*words).out.split())
    assert "like by Wave (entry 2): waves are compared as independent samples" in shown
    assert "(--pair-by id)" in shown
    (tmp_path / "tables.yaml").write_text(
        "earlier: [march.csv]\npair_by: Person\ntables:\n- {questions: [like], weight: Weight}\n"
    )
    (of_all,) = (entry["tables"] for entry in json.loads(semscale(*words, "--json").out)["entries"])
    assert of_all == paired
    (tmp_path / "tables.yaml").write_text("pair_by: [a]\ntables:\n- {questions: [like]}\n")
    assert "line 1: pair_by must be a text" in semscale(*words).err
    (tmp_path / "tables.yaml").write_text("tables:\n- {questions: [like], pair_by: Person}\n")
    assert "line 2: pair_by belongs to wave or to files of earlier waves" in semscale(*words).err
    march = pl.read_csv(tmp_path / "march.csv").drop("id")
    march.write_csv(tmp_path / "march.csv")
    refused = semscale("tables", "may.csv", "--earlier", "march.csv", "--question", "like", "--pair-by", "id")
    assert "march.csv has no column 'id'" in refused.err


def tables_of_question(semscale, *words):
    return json.loads(
        semscale("tables", "may.csv", "--earlier", "march.csv", "--question", "like", *words, "--json").out
    )["tables"]


def test_a_basket_compares_the_same_waves(semscale, run, tmp_path):
    (tmp_path / "tables.yaml").write_text(
        "tables:\n- {questions: [like], where: region = 'N', min_base: 1}\n"
    )
    words = ("tables", "may.csv", "--earlier", "march.csv", "--basket", "tables.yaml")
    (entry,) = json.loads(semscale(*words, "--json").out)["entries"]
    assert values(entry["tables"][0], "mean")[0][1:] == pytest.approx([2, 3])
    (tmp_path / "tables.yaml").write_text(
        "tables:\n- {questions: [like]}\n- {questions: [like], wave: region}\n"
    )
    refused = semscale(*words).err
    assert "line 3: wave does not go with files of earlier waves" in refused


def test_a_basket_names_its_earlier_waves_by_paths_from_its_folder(semscale, run, tmp_path):
    folder = tmp_path / "fieldwork"
    (folder / "old").mkdir(parents=True)
    for name, copy in (("survey.yaml", ""), ("may.csv", ""), ("march.csv", "old")):
        (folder / copy / name).write_bytes((tmp_path / name).read_bytes())
    basket = folder / "tables.yaml"
    basket.write_text("earlier: [old/march.csv, may.csv]\ntables:\n- {questions: [like], min_base: 1}\n")
    words = ("tables", "fieldwork/may.csv", "--basket", str(basket), "--json")

    def waves(*more):
        (entry,) = json.loads(semscale(*words, *more).out)["entries"]
        return [column["name"] for column in entry["tables"][0]["columns"]]

    assert waves() == ["Total", "march", "may"]
    (tmp_path / "april.csv").write_bytes((tmp_path / "march.csv").read_bytes())
    assert waves("--earlier", "april.csv") == ["Total", "april", "may"]
    (folder / "old/march.csv").unlink()
    assert "march.csv" in semscale(*words).err
    basket.write_text("earlier: [may.csv]\ntables:\n- {questions: [like], min_base: 1}\n")
    assert waves() == ["Total"]


def names_of_waves(semscale, *words):
    """Return the columns of the table of waves, and the notes of the report."""
    ended = semscale("tables", *words, "--json", "--out", "t.md")
    assert ended.code == 0, ended.err
    record = json.loads(ended.out)
    table = record["entries"][0]["tables"][0] if "entries" in record else record["tables"][0]
    with open("t.md", encoding="utf-8") as report:
        return [column["name"] for column in table["columns"]][1:], report.read()


def test_a_basket_names_waves_by_their_files_and_serves_for_the_next_wave(semscale, run, tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old/may.csv").write_bytes((tmp_path / "march.csv").read_bytes())
    (tmp_path / "tables.yaml").write_text(
        "title: Lounges\nearlier: [old/may.csv]\nwaves: {old/may.csv: 2025, may.csv: Summer, x.csv: Autumn}\n"
        "tables:\n- {questions: [like], min_base: 1}\n"
    )
    names, report = names_of_waves(semscale, "may.csv", "--basket", "tables.yaml")
    assert names == ["2025", "Summer"]
    assert "waves and their files: ‘2025’ may.csv, ‘Summer’ may.csv" in report
    assert report.startswith("# Lounges\n")
    (tmp_path / "x.csv").write_bytes((tmp_path / "may.csv").read_bytes())
    words = ("x.csv", "--earlier", "old/may.csv", "--earlier", "may.csv", "--basket", "tables.yaml")
    assert names_of_waves(semscale, *words)[0] == ["2025", "Summer", "Autumn"]
    # The command goes before the basket.
    names, report = names_of_waves(semscale, *words, "--wave-name", "may.csv=Late", "--title", "All lounges")
    assert names == ["2025", "Late", "Autumn"]
    assert report.startswith("# All lounges\n")


def test_the_command_names_waves_and_gives_tables_a_title(semscale, run):
    words = ("may.csv", "--earlier", "march.csv", "--question", "like", "--min-base", "1")
    names, report = names_of_waves(
        semscale, *words, "--wave-name", "may.csv=Summer, 2026", "--title", "Likes"
    )
    assert names == ["march", "Summer, 2026"]
    assert report.startswith("# Likes\n")
    assert "waves and their files: ‘march’ march.csv, ‘Summer, 2026’ may.csv" in report
    assert "waves and their files" not in names_of_waves(semscale, *words)[1]


def test_slides_name_waves_in_files_and_tables_the_wave_before(semscale, run, tmp_path):
    pptx = pytest.importorskip("pptx")
    (tmp_path / "tables.yaml").write_text(
        "earlier: [march.csv]\ntables:\n- {questions: [like], banners: [region], min_base: 1}\n"
    )
    words = ("tables", "may.csv", "--basket", "tables.yaml", "--out", "t.pptx", "--out", "t.md")
    assert semscale(*words).code == 0
    *_, method = pptx.Presentation(tmp_path / "t.pptx").slides
    shown = " ".join(shape.text_frame.text for shape in method.shapes if shape.has_text_frame)
    assert "Waves “march” and “may”, each from a file" in shown
    text = (tmp_path / "t.md").read_text(encoding="utf-8")
    assert "Figures are of wave may. Changes since wave march." in text
    assert "semscale_wave" not in shown


def test_paired_waves_count_answers_and_people(semscale, people, tmp_path):
    pptx = pytest.importorskip("pptx")
    words = ("tables", "may.csv", "--earlier", "march.csv", "--question", "like", "--pair-by", "id")
    ended = semscale(*words, "--out", "t.pptx")
    # 60 people in each wave, 40 of them in both.
    stated = "120 answers of 80 people, 40 of them in both waves"
    assert f"{stated}; changes are tested within people, paired by ‘id’" in " ".join(ended.out.split())
    cover, by_wave, method = map(text_on, pptx.Presentation(tmp_path / "t.pptx").slides)
    assert f"{stated}, not weighted" in cover
    assert "Base: 120 answers; people in several waves count in each of them." in by_wave
    assert "120, of 80 people, 40 of them in both waves" in method
    assert "Changes are tested within people, paired by ‘id’." in method
    assert semscale(*words[:-2], "--out", "t.pptx").code == 0
    cover, by_wave, method = map(text_on, pptx.Presentation(tmp_path / "t.pptx").slides)
    assert "120 respondents, not weighted" in cover
    assert "40 values of 'id' are in several waves: pair them if these are ids of the same people." in method


def text_on(slide):
    return " ".join(shape.text_frame.text for shape in slide.shapes if shape.has_text_frame)


@pytest.mark.parametrize(
    ("words", "earlier", "reason"),
    [
        (("--wave", "region"), ["march.csv"], "--wave does not go with --earlier"),
        ((), ["may.csv"], "--earlier: a file is named twice among may.csv, may.csv"),
        ((), ["old/may.csv"], "two waves are named 'may': give one of them another name (--wave-name)"),
        (("--wave-name", "may.csv=MARCH"), ["march.csv"], "two waves are named 'march'"),
        (("--wave-name", "may.csv="), ["march.csv"], "--wave-name must read FILE=NAME"),
        (
            ("--wave-name", "x.csv=X"),
            ["march.csv"],
            "x.csv is none of the files of waves: march.csv, may.csv",
        ),
        (("--wave-name", "may.csv=X"), [], "--wave-name belongs to --earlier"),
        (("--weight", "new_weight"), ["march.csv"], "march.csv has no column 'new_weight'"),
        ((), ["other.csv"], "other.csv has none of the columns of may.csv"),
    ],
)
def test_waves_that_cannot_be_compared_are_refused(run, tmp_path, words, earlier, reason):
    pl.DataFrame(MAY | {"new_weight": [1, 1, 1, 1]}).write_csv(tmp_path / "may.csv")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "survey.yaml").unlink()
    assert reason in run("--question", "like", *words, earlier=earlier)
