"""The page of tables as its users see it: composed by clicks, keys and dragging, and made to files."""

import json

import polars as pl
import pytest
from python_calamine import CalamineWorkbook
from tests.workbench.conftest import IN_CHROMIUM, SURVEY, check_for_barriers

from semscale.tabulation.basket import read_basket

pytestmark = IN_CHROMIUM


def open_tables(page):
    page.locator("[data-question]").first.wait_for()
    page.get_by_role("navigation").get_by_role("link", name="Tables").click()
    page.locator(".pick").first.wait_for()
    return page


@pytest.fixture
def page(new_page):
    return open_tables(new_page())


def pick(page, name):
    return page.locator(".pick").filter(has=page.locator(f"bdi:text-is('{name}')"))


def shown(page, name):
    page.locator(f".preview-tables section h2:has-text('{name}')").wait_for()


def test_tables_are_composed_added_and_made(page, folder):
    pick(page, "satisfaction").get_by_role("button", name="Row").click()
    shown(page, "satisfaction")
    pick(page, "country").drag_to(page.locator("[data-net=banners]"))
    shown(page, "satisfaction by country")
    page.get_by_role("button", name="Add to the basket").click()
    page.locator("#entry-0").wait_for()
    page.locator("details:has(.numbers) summary").first.click()
    page.locator(".numbers td").first.wait_for()
    (entry,) = read_basket(folder / "tables.yaml").entries
    assert (entry.questions, entry.banners) == (("satisfaction",), ("country",))
    page.get_by_role("link", name="These tables are in the basket: 1 entry").wait_for()
    assert not page.get_by_role("button", name="Add to the basket").count()
    page.locator(".basket-bar").get_by_role(
        "button", name="Make Excel workbook"
    ).click()  # of the bar that stays in sight
    page.get_by_role("link", name="answers-tables.xlsx").wait_for()
    assert [path.name for path in (folder / "results").iterdir()] == ["answers-tables.xlsx"]
    with page.expect_download() as download:
        page.locator("#make").get_by_role("button", name="Make Excel workbook").click()
        page.get_by_role("link", name="answers-tables.xlsx").click()
    assert download.value.suggested_filename == "answers-tables.xlsx"
    # The tables are still there, and after a reload as well.
    page.reload()
    shown(page, "satisfaction by country")


SURVEY_OF_RESULTS = """survey: 1
file: answers.csv
questions:
- {name: why, kind: open, title: The reason}
- {name: country, kind: single}
- {name: satisfaction, kind: scale, missing: [99]}
"""
BOOK = """name: topics
codes:
- {name: sound, definition: the sound, examples: [the sound is fine, too loud], keywords: [sound, loud]}
- {name: liking, definition: liking it, examples: [I like it, it is good], keywords: [like, good]}
"""


def test_coded_and_rated_answers_are_tables_beside_closed_questions(new_page, folder):
    (folder / "survey.yaml").write_text(SURVEY_OF_RESULTS)
    (folder / "codebooks").mkdir()
    (folder / "codebooks" / "why.yaml").write_text(BOOK)
    page = new_page()
    page.set_default_timeout(120_000)
    page.get_by_role("navigation").get_by_role("link", name="Rate").click()
    page.get_by_role("button", name="Rate", exact=True).click()
    page.get_by_role("link", name="Compare groups in Tables").wait_for()
    page.get_by_role("navigation").get_by_role("link", name="Code").click()
    page.get_by_label("country").check()
    page.get_by_role("button", name="Code the answers").click()
    page.get_by_role("link", name="Compare groups in Tables").click()
    shown(page, "The reason (codes) by country")
    pick(page, "The reason: rated on Quality").get_by_role("button", name="Row").click()
    shown(page, "The reason (ratings) by country")
    pick(page, "satisfaction").get_by_role("button", name="Row").click()
    shown(page, "satisfaction by country")
    page.get_by_role("button", name="Add to the basket").click()
    page.locator("#entry-0").wait_for()
    page.get_by_role("button", name="Make all three").click()
    page.get_by_role("link", name="answers-tables.pptx").wait_for()
    book = CalamineWorkbook.from_path(folder / "results" / "answers-tables.xlsx")
    assert book.sheet_names[1:4] == ["why, codes", "why, ratings", "satisfaction"]
    rows = {row[0]: row[1] for row in book.get_sheet_by_name("why, codes").to_python() if row[0]}
    assert rows["sound"] == pytest.approx(2 / 6)  # Too loud for me; The sound is fine
    coded = pl.read_parquet(folder / "results" / "answers-why-codes.parquet")["semscale_liking"]
    assert rows["liking"] == pytest.approx(coded.sum() / 6)  # unsure answers count in the base
    pptx = pytest.importorskip("pptx")
    slides = pptx.Presentation(folder / "results" / "answers-tables.pptx").slides
    titles = [slide.shapes.title.text_frame.text.replace("\u00a0", " ").casefold() for slide in slides]
    names = ("the reason (codes)", "the reason (ratings)", "satisfaction")
    assert [any(title.startswith(name) for title in titles) for name in names] == [True] * 3


def test_outdated_ratings_are_made_again_beside_the_tables(new_page, folder):
    (folder / "survey.yaml").write_text(SURVEY_OF_RESULTS)
    (folder / "results").mkdir()
    old = pl.read_csv(folder / "answers.csv", schema_overrides={"why": pl.String})[:5]
    old = old.with_columns(semscale_p_1=pl.lit(0.5), semscale_p_2=pl.lit(0.5))
    old.write_parquet(folder / "results" / "answers-why-quality.parquet")
    choices = '{"text": ["why"], "scale": ["quality"]}'
    (folder / "results" / "answers-why-quality.choices.json").write_text(choices)
    page = open_tables(new_page())
    pick(page, "country").get_by_role("button", name="Row").click()
    shown(page, "country")
    page.get_by_role("button", name="Rate again").click()
    pick(page, "The reason: rated on Quality").get_by_role("button", name="Row").wait_for()
    shown(page, "country")
    page.get_by_role("button", name="Rate again").wait_for(state="detached")
    pick(page, "The reason: rated on Quality").get_by_role("button", name="Row").click()
    shown(page, "The reason (ratings)")


def test_ratings_on_two_scales_are_chosen_beside_each_other(new_page, folder):
    (folder / "survey.yaml").write_text(SURVEY_OF_RESULTS)
    (folder / "results").mkdir()
    rated = pl.read_csv(folder / "answers.csv").with_columns(
        semscale_p_1=pl.lit(0.5), semscale_p_2=pl.lit(0.5)
    )
    for title in ("Quality", "Trust"):
        facts = json.dumps([{"measured": "ratings", "text": "why", "title": title}])
        rated.write_parquet(folder / "results" / f"answers-why-{title}.parquet", metadata={"semscale": facts})
    page = open_tables(new_page())
    for title in ("Quality", "Trust"):
        pick(page, f"The reason: rated on {title}").get_by_role("button", name="Row").click()
        shown(page, f"The reason on {title} (ratings)")
    page.get_by_role("button", name="Add to the basket").click()
    page.locator("#entry-0").wait_for()
    names = tuple(f"semscale_why on {title}_mean" for title in ("Quality", "Trust"))
    assert read_basket(folder / "tables.yaml").entries[0].questions == names


def test_two_waves_in_two_files_are_compared(new_page, folder):
    rows = ["N,1", "N,2", "S,3", "S,1"] * 20
    (folder / "answers.csv").unlink()
    (folder / "wave1.csv").write_text("region,liking\n" + "\n".join(rows))
    (folder / "wave0.csv").write_text("region,liking\n" + "\n".join(row[:-1] + "2" for row in rows))
    (folder / "wave2.csv").write_text("region,liking\n" + "\n".join(row[:-1] + "3" for row in rows))
    (folder / "survey.yaml").write_text(
        "survey: 1\nfile: wave2.csv\nquestions:\n- {name: region, kind: single}\n"
        "- {name: liking, kind: scale, values: [{value: 1}, {value: 2}, {value: 3}]}\n"
    )
    page = open_tables(new_page())
    pick(page, "liking").get_by_role("button", name="Row").click()
    pick(page, "region").get_by_role("button", name="Column").click()
    shown(page, "liking by region")
    page.get_by_label("wave1.csv").check()
    page.locator("caption:has-text('Change from wave'), h3:has-text('Change from wave')").first.wait_for()
    page.get_by_role("button", name="Add to the basket").click()
    page.locator("#entry-0").wait_for()
    # Two ticks in a row are both stored, and taken back one by one.
    page.evaluate("document.querySelector('[value=\"wave0.csv\"]').click()")
    page.evaluate("document.querySelector('[value=\"wave1.csv\"]').click()")
    page.locator("#basket", has_text="its change since wave0.csv").wait_for()
    assert read_basket(folder / "tables.yaml").earlier == ("wave0.csv",)
    page.locator("#page").focus()
    page.keyboard.press("u")
    page.locator("#basket", has_text="its change since wave1.csv").wait_for()
    open_tables(page)
    assert [page.get_by_label(f"wave{n}.csv").is_checked() for n in (0, 1)] == [True, True]
    with page.expect_response("**/tables/compare"):
        page.get_by_label("wave0.csv").uncheck()
    page.locator("#make").get_by_role("button", name="Make Excel workbook").click()
    page.get_by_role("link", name="wave2-tables.xlsx").wait_for()
    book = CalamineWorkbook.from_path(folder / "results" / "wave2-tables.xlsx")
    text = str(book.get_sheet_by_name("Changes").to_python())
    assert "1.25" in text  # means: 3 after (1 + 2 + 3 + 1) / 4


def test_the_basket_is_named_above_the_buttons_that_make_it(new_page, folder):
    (folder / "wave1.csv").write_text(SURVEY)
    (folder / "answers.csv").rename(folder / "wave2.csv")
    described = SURVEY_OF_RESULTS.replace("answers.csv", "wave2.csv")
    (folder / "survey.yaml").write_text(described)
    page = open_tables(new_page(bypass_csp=True))
    pick(page, "satisfaction").get_by_role("button", name="Row").click()
    pick(page, "country").get_by_role("button", name="Column").click()
    shown(page, "satisfaction by country")
    page.get_by_role("button", name="Add to the basket").click()
    page.locator("#entry-0").wait_for()
    page.get_by_label("wave1.csv").check()
    page.locator("h3:has-text('wave wave1'), caption:has-text('wave wave1')").first.wait_for()
    page.get_by_text("Names of waves, and title of the files: Tables of wave2.csv").click()
    page.get_by_label("Title of the workbook, slides and page").fill("Lounges")
    page.get_by_label("Name of the wave wave1").fill("Spring")
    check_for_barriers(page)
    page.keyboard.press("Enter")
    page.locator("h3:has-text('wave Spring'), caption:has-text('wave Spring')").first.wait_for()
    page.get_by_text("Names of waves, and title of the files: Lounges").wait_for()
    page.locator("#make").get_by_role("button", name="Make Excel workbook").click()
    page.get_by_role("link", name="wave2-tables.xlsx").wait_for()
    book = CalamineWorkbook.from_path(folder / "results" / "wave2-tables.xlsx")
    assert book.get_sheet_by_name("Index").to_python()[0][0] == "Lounges"
    # The basket is as the page shows it, so that further tables can be added.
    pick(page, "country").get_by_role("button", name="Column").click()
    page.get_by_role("button", name="Add to the basket").click()
    page.locator("#entry-1").wait_for()


def test_rows_are_chosen_by_answers_without_sql(page, folder):
    pick(page, "shape").get_by_role("button", name="Row").click()
    shown(page, "shape")
    page.locator("details.look > summary").click()
    page.get_by_text("Choose rows by the answers to a question").click()
    page.get_by_label("Filter by").select_option("milk")
    page.get_by_label("Yes 2").check()
    page.locator("#filter-count", has_text="2 of 6 rows stay").wait_for()
    page.get_by_label("Leave out rows with these answers").check()
    page.locator("#filter-count", has_text="4 of 6 rows stay").wait_for()
    page.get_by_role("button", name="Add this condition").click()
    where = page.get_by_label("Only rows where", exact=True)
    page.locator("#condition", has_text="Only: milk ≠ Yes").wait_for()
    assert where.input_value() == "milk IS NULL OR milk NOT IN ('Yes')"
    assert page.get_by_label("Filter by").input_value() == ""
    page.get_by_label("Filter by").select_option("country")
    page.get_by_label("AT 2").check()
    page.locator("#filter-count", has_text="2 of 6 rows stay").wait_for()  # after the first condition
    page.get_by_text("Condition in SQL", exact=True).click()
    where.fill("age > 20")
    page.get_by_role("button", name="Add this condition").click()
    page.locator("#tables-where[value*=country]").wait_for()
    assert where.input_value() == "(age > 20) AND (country IN ('AT'))"
    page.get_by_role("button", name="Add to the basket").click()
    page.locator("#entry-0", has_text="only respondents with: (age > 20)").wait_for()
    assert read_basket(folder / "tables.yaml").entries[0].where == where.input_value()


def test_waves_are_offered_as_soon_as_they_are_known(new_page, folder):
    answers = pl.read_csv(folder / "answers.csv")
    (folder / "answers.csv").rename(folder / "wave3.csv")
    for number in (1, 2):
        answers.write_excel(folder / f"wave{number}.xlsx")  # each takes a process to open
    (folder / "survey.yaml").write_text(SURVEY_OF_RESULTS.replace("answers.csv", "wave3.csv"))
    (folder / "tables.yaml").write_text("tables:\n- {questions: [shape]}\n")
    page = new_page()
    page.get_by_role("navigation").get_by_role("link", name="Tables").click()
    page.get_by_label("wave1.xlsx").check()
    page.locator("#basket", has_text="its change since wave1.xlsx").wait_for()
    assert read_basket(folder / "tables.yaml").earlier == ("wave1.xlsx",)
    page.get_by_role("button", name="Rebuild for wave2.xlsx").wait_for()


def test_keys_alone_compose_tables_and_undo_takes_them_back(page, folder):
    pick(page, "shape").focus()
    page.keyboard.press("r")
    shown(page, "shape")
    page.wait_for_selector("article.pick:focus")
    page.keyboard.press("j")
    page.get_by_role("button", name="Add to the basket").press("Enter")
    page.locator("#entry-0").wait_for()
    page.locator("a#add-to-basket:focus").wait_for()  # the link that has taken the button's position
    page.locator("#page").focus()
    page.keyboard.press("u")
    page.locator("#entry-0").wait_for(state="detached")
    shown(page, "shape")


def test_entries_are_dragged_to_another_place(page, folder):
    for name in ("shape", "sound"):
        pick(page, name).get_by_role("button", name="Row").click()
        shown(page, name)
        page.get_by_role("button", name="Add to the basket").click()
        page.locator(f".entry:has-text('{name}')").wait_for()
    page.locator("#entry-1 .entry-title").drag_to(page.locator("#entry-0"))
    page.locator("#entry-0 .entry-title:has-text('sound')").wait_for()
    entries = read_basket(folder / "tables.yaml").entries
    assert [entry.questions for entry in entries] == [("shape", "sound"), ("shape",)]
    page.locator("#entry-0 summary").click()
    page.fill("#entry-0 [name=title]", "Both")
    page.keyboard.press("Enter")
    page.locator("#entry-0 .entry-title bdi:text-is('Both')").wait_for()
    assert read_basket(folder / "tables.yaml").entries[0].title == "Both"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 420])
def test_the_page_of_tables_fits_and_is_accessible(new_page, folder, scheme, width):
    (folder / "survey.yaml").write_text(SURVEY_OF_RESULTS)
    (folder / "before.csv").write_text(SURVEY)
    (folder / "results").mkdir()
    of_others = pl.DataFrame({"why": ["a"], "semscale_p_1": [0.5], "semscale_p_2": [0.5]})
    of_others.write_parquet(folder / "results" / "answers-why-quality.parquet")
    viewport = {"width": width, "height": 900}
    page = open_tables(new_page(viewport=viewport, color_scheme=scheme, bypass_csp=True))

    def check():
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        check_for_barriers(page)

    check()
    pick(page, "satisfaction").get_by_role("button", name="Row").click()
    shown(page, "satisfaction")
    pick(page, "country").get_by_role("button", name="Column").click()
    shown(page, "satisfaction by country")
    page.get_by_label("before.csv").check()
    page.locator("h3:has-text('Change'), caption:has-text('Change')").first.wait_for()
    assert "has ratings of 1 rows" in page.locator(".outdated").inner_text()
    page.locator("details.look summary").first.click()
    page.locator("details.hide summary").click()
    page.get_by_role("button", name="Add to the basket").click()
    page.locator("#entry-0").wait_for()
    check()


def test_the_page_works_without_javascript(new_page, folder):
    page = new_page(java_script_enabled=False)
    page.get_by_role("navigation").get_by_role("link", name="Tables").click()
    while not page.locator(".pick").count():
        page.reload()
    pick(page, "shape").get_by_role("button", name="Row").click()
    shown(page, "shape")
    page.get_by_role("button", name="Add to the basket").click()
    page.locator("#entry-0").wait_for()
    assert read_basket(folder / "tables.yaml").entries[0].questions == ("shape",)
