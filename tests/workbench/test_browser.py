"""The workbench as its users see it: in a Chromium, with the command ``semscale open``.

``pip install --group browser`` installs what drives the browser; a Chromium must be there.
"""

import pytest
from tests.workbench.conftest import IN_CHROMIUM, check_for_barriers

from semscale.scales import load_scale
from semscale.survey.survey_file import read_survey

pytestmark = IN_CHROMIUM


@pytest.fixture
def page(new_page):
    opened = new_page()
    card(opened, "country").wait_for()
    return opened


def card(page, name):
    return page.locator("[data-question]").filter(has=page.locator(f"h2 bdi:text-is('{name}')"))


def change(page, name):
    card(page, name).get_by_role("link", name="Change").click()
    page.locator(".editing").wait_for()


def save(page):
    page.locator(".editing").get_by_role("button", name="Save").click()
    page.locator(".editing").wait_for(state="detached")


def test_a_survey_is_opened_corrected_and_taken_back_from_an_empty_folder(new_page, folder):
    (folder / "answers.csv").rename(folder.parent / "mine.csv")
    page = new_page()
    page.set_input_files("input[type=file]", folder.parent / "mine.csv")
    page.get_by_role("button", name="Use this file").click()
    card(page, "country").wait_for()
    change(page, "satisfaction")
    page.select_option("select[name=kind]", "scale")
    labels = page.locator("input[name=label]")
    before = [labels.nth(index).get_attribute("placeholder") for index in range(labels.count())]
    labels.nth(0).fill("the first")
    labels.nth(0).press("Alt+ArrowDown")
    labels.nth(1).press("Control+Enter")
    page.locator(".editing").wait_for(state="detached")
    values = read_survey(folder / "survey.yaml").question("satisfaction").values
    assert [value.value for value in values][:2] == [before[1], before[0]]
    assert values[1].label == "the first"
    written = (folder / "survey.yaml").read_bytes()
    change(page, "age")
    page.fill("input[name=title]", "Years")
    save(page)
    page.get_by_role("heading", name="Years").wait_for()
    page.get_by_role("button", name="Undo").click()
    card(page, "age").wait_for()
    assert (folder / "survey.yaml").read_bytes() == written


def test_rows_are_filtered_by_the_answers_to_a_question(page, folder):
    page.get_by_text("Leave out rows, or make new columns").click()
    question = page.get_by_label("Filter by")
    question.focus()
    question.select_option(label="country")
    form = page.locator("#filter")
    form.get_by_role("radio", name="Keep only").wait_for()
    check_for_barriers(page)
    austria = form.get_by_role("checkbox", name="AT")
    austria.focus()
    austria.press("Space")
    # Respondents 2 and 6 are in Austria, and 1, 3 and 5 in Germany.
    count = form.get_by_role("status")
    count.get_by_text("2 of 6 rows stay, 4 are left out.").wait_for()
    form.get_by_role("checkbox", name="DE").check()
    count.get_by_text("5 of 6 rows stay, 1 is left out.").wait_for()
    form.get_by_role("radio", name="Leave out").check()
    count.get_by_text("1 of 6 rows stay, 5 are left out.").wait_for()
    form.get_by_role("checkbox", name="DE").uncheck()
    count.get_by_text("4 of 6 rows stay, 2 are left out.").wait_for()
    form.get_by_role("button", name="Filter").press("Enter")
    page.get_by_text("Left out: country is AT", exact=True).wait_for()
    page.get_by_text("4 rows", exact=True).wait_for()
    assert read_survey(folder / "survey.yaml").leave_out == {"country": ("AT",)}
    check_for_barriers(page)
    origin = page.url.partition("/data")[0]
    page.goto(f"{origin}/tables")
    satisfaction = page.locator(".pick").filter(has=page.locator("bdi:text-is('satisfaction')"))
    satisfaction.get_by_role("button", name="Row").click()
    # Of the four that stay, three answer: 3, 2 and 3. With the people in Austria, the mean is 2.2.
    page.locator(".preview-tables").get_by_text("The mean is 2.67").wait_for()
    page.goto(f"{origin}/data")
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("6 rows", exact=True).wait_for()
    assert page.get_by_text("Left out: country is AT", exact=True).count() == 0


def test_a_file_is_opened_wherever_it_is_dropped(new_page, folder):
    (folder / "answers.csv").unlink()
    page = new_page()
    files = page.evaluate_handle(
        """() => {
            const files = new DataTransfer();
            files.items.add(new File(["why\\nIt is good\\n"], "mine.csv"));
            return files;
        }"""
    )
    page.dispatch_event("h1", "dragover", {"dataTransfer": files})
    page.locator(".drop.over").wait_for()
    page.dispatch_event("h1", "drop", {"dataTransfer": files})
    page.get_by_role("button", name="Use this file").click()
    card(page, "why").wait_for()


def test_answers_are_moved_by_dragging_by_buttons_and_by_keys(page, folder):
    change(page, "country")
    codes = page.locator(".editing .code bdi")
    first, second, *_ = before = codes.all_inner_texts()
    up = page.locator(".editing [data-move='-1']")
    up.nth(1).focus()
    up.nth(1).press("Enter")
    assert codes.all_inner_texts()[:2] == [second, first]
    assert page.evaluate("document.activeElement.ariaLabel") == f"Move {second} up"
    up.nth(0).press("Enter")  # the first row stays
    page.locator(".editing [name=label]").nth(0).press("Alt+ArrowDown")
    assert codes.all_inner_texts() == before
    assert page.evaluate("document.activeElement.placeholder") == second
    codes.nth(0).drag_to(codes.nth(2))  # to its upper half
    assert codes.all_inner_texts()[:2] == [second, first]
    page.locator(".editing [name=title]").press("Enter")  # which moves nothing
    page.locator(".editing").wait_for(state="detached")
    values = read_survey(folder / "survey.yaml").question("country").values
    assert [value.value for value in values][:2] == [second, first]


def test_questions_are_joined_by_keys_alone(page, folder):
    for name in ("tea", "milk"):
        card(page, name).focus()
        page.keyboard.press("x")
    page.get_by_role("button", name="Join").press("Enter")
    page.locator(".editing select[name=mark_as]").first.wait_for()
    page.keyboard.press("Control+Enter")
    page.locator(".editing").wait_for(state="detached")
    assert "multiple" in {question.kind for question in read_survey(folder / "survey.yaml").questions}
    page.keyboard.press("j")
    page.keyboard.press("?")
    page.locator("#keys").wait_for()
    page.keyboard.press("Escape")
    page.locator("#keys").wait_for(state="hidden")


def test_the_number_of_rows_follows_what_is_typed(page):
    page.get_by_text("Leave out rows, or make new columns").click()
    page.get_by_text("Conditions in SQL, and new columns").click()
    page.fill("#where", "age >= 40")
    page.locator("#count b:text-is('3')").wait_for()
    page.fill("#where", "age >")
    page.locator("#count .problem").wait_for()


def test_a_form_with_a_mistake_keeps_what_was_typed(page):
    change(page, "country")
    page.fill("input[name=title]", "My title")
    page.fill("input[name=codes]", "99=nonsense")
    page.locator(".editing").get_by_role("button", name="Save").click()
    message = page.locator("#message:has-text('a reason must be one of')")
    message.wait_for()
    assert message.bounding_box()["y"] > 0  # the page shows it
    assert page.locator("input[name=title]").input_value() == "My title"


def test_two_tabs_never_overwrite_each_other(new_page, folder):
    pages = [new_page(), new_page()]
    for page in pages:
        change(page, "country")
    pages[0].fill("input[name=title]", "First")
    save(pages[0])
    pages[1].fill("input[name=title]", "Second")
    pages[1].locator(".editing").get_by_role("button", name="Save").click()
    pages[1].locator("#message:has-text('was changed elsewhere')").wait_for()
    assert read_survey(folder / "survey.yaml").question("country").title == "First"


def test_a_workbench_that_was_killed_is_a_sentence_and_loses_no_field(new_page, workbench):
    page = new_page(expected=("net::", "htmx:"))
    change(page, "country")
    page.fill("input[name=title]", "Not saved yet")
    workbench.process.kill()
    workbench.process.wait()
    page.locator(".editing").get_by_role("button", name="Save").click()
    page.locator("#message:has-text('does not answer')").wait_for()
    assert page.locator("input[name=title]").input_value() == "Not saved yet"


def test_an_answer_without_a_reason_is_a_sentence(new_page):
    page = new_page(expected=("500",))
    page.route("**/data?edit=*", lambda route: route.fulfill(status=500, body="Internal Server Error"))
    card(page, "country").get_by_role("link", name="Change").click()
    page.locator("#message:has-text('This failed')").wait_for()


def test_everything_works_without_javascript(new_page, folder):
    page = new_page(java_script_enabled=False)
    while page.locator("[data-question]").count() == 0:
        page.goto(page.url)
    change(page, "country")
    page.fill("input[name=title]", "Home")
    save(page)
    change(page, "Home")
    page.get_by_role("button", name="down").first.click()
    page.locator(".editing").wait_for()
    assert read_survey(folder / "survey.yaml").question("country").title == "Home"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 420])
def test_pages_fit_and_are_accessible(new_page, scheme, width):
    page = new_page(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    for path, ready in (
        ("/data", "[data-question]"),
        ("/data?edit=tea", ".editing"),
        ("/data/file?file=answers.csv", ".preview"),
    ):
        page.goto(page.url.partition("/data")[0] + path)
        page.locator(ready).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        check_for_barriers(page)


def test_first_rows_and_progress_are_shown_while_a_large_file_is_read(new_page, folder):
    rows = "".join(f"{n},DE,{n % 3},Yes,,1,5,It was answer {n} of many,30\n" for n in range(1_200_000))
    (folder / "answers.csv").write_text(
        "respondent,country,satisfaction,tea,milk,sound,shape,why,age\n" + rows
    )
    page = new_page(bypass_csp=True)
    page.locator(".preview td:text-is('It was answer 1 of many')").wait_for()
    page.locator("#progress").wait_for()
    check_for_barriers(page)
    # A link works while the page waits.
    page.get_by_role("navigation").get_by_role("link", name="Rate").click()
    page.locator("#rate-form").wait_for()
    page.get_by_role("link", name="Data").click()
    card(page, "country").wait_for()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1300), ("dark", 420)])
def test_work_begins_with_a_job_or_another_project(chromium, workbench, tmp_path_factory, scheme, width):
    other = tmp_path_factory.mktemp("other")
    (other / "second.csv").write_text("name,why\nAnna,It is good\nBert,It is loud\n")
    context = chromium.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    page.goto(workbench.address)
    card(page, "country").wait_for()
    page.get_by_title("Start").click()
    page.locator(".jobs").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_for_barriers(page)
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.locator("#rate-form").wait_for()
    context.close()

    page = chromium.new_page()  # with the policy of the pages, which forbids forms to lead elsewhere
    page.goto(workbench.address)
    page.get_by_title("Start").click()
    page.fill("#path", str(other))
    page.locator("#path").press("Enter")
    page.get_by_role("heading", name="second.csv").wait_for()
    page.close()


def test_ctrl_c_ends_the_command_quietly(workbench):
    assert workbench.end() == 0
    assert "Traceback" not in workbench.process.stderr.read()


def test_answers_are_rated_stopped_found_and_downloaded(new_page, folder):
    page = new_page(viewport={"width": 420, "height": 900}, bypass_csp=True)
    page.get_by_role("navigation").get_by_role("link", name="Rate").click()
    page.locator("#rate-form").get_by_role("button", name="Rate").click()
    page.get_by_role("button", name="Stop").click()
    page.locator(".next-step:has-text('stopped')").wait_for(timeout=120_000)
    page.reload()
    page.locator("#rate-form").get_by_role("button", name="Rate").click()
    page.locator(".hero").wait_for(timeout=120_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    check_for_barriers(page)
    page.fill("#words", "loud")
    page.locator("#found .note:text-is('1 text')").wait_for()
    page.locator("#found .more summary").click()
    page.locator("#found .near").first.wait_for()
    check_for_barriers(page)
    page.locator(".exports > summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Excel", exact=True).click()
    assert download.value.suggested_filename == "answers-why-quality.xlsx"
    assert (folder / "results" / "answers-why-quality.parquet").exists()


BOOK = """name: devices
# ours
codes:
- {name: sound, definition: how it sounds, examples: [too loud for me, the sound is fine]}
- {name: liking, definition: whether they like it, examples: [it is good, I like it a lot]}
- {name: silence, definition: nothing is said, examples: [hard to say]}
"""


@pytest.fixture
def codes_page(new_page, folder):
    """Open the page of codes with a codebook of three codes; the window is high enough for dragging."""
    (folder / "codebooks").mkdir()
    (folder / "codebooks" / "why.yaml").write_text(BOOK)

    def open_page(**settings):
        page = new_page(**{"viewport": {"width": 1300, "height": 2000}, **settings})
        page.get_by_role("link", name="Code", exact=True).click()
        page.locator("[data-code]").first.wait_for()
        return page

    return open_page


def read_book(folder):
    from semscale.coding.codebook import load_codebook

    return load_codebook(folder / "codebooks" / "why.yaml")


def test_codes_are_merged_renamed_and_netted_by_keys_and_by_dragging(codes_page, folder):
    page = codes_page()
    page.locator("[data-code]").first.focus()
    page.keyboard.press("e")
    page.locator(".editing").wait_for()
    page.locator(".editing [name=keywords]").focus()
    page.keyboard.type("loud, sound")
    page.locator("#word-count b:text-is('2')").wait_for()
    assert page.evaluate("document.activeElement.name") == "keywords"  # counting takes nobody elsewhere
    page.fill(".editing [name=name]", "noise")
    page.fill(".editing [name=new_net]", "device")
    page.keyboard.press("Control+Enter")
    page.locator(".editing").wait_for(state="detached")
    page.locator("h3 bdi:text-is('liking')").drag_to(page.locator("[data-net=device] h2"))
    page.locator("[data-net=device] h3 bdi:text-is('liking')").wait_for()
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.name") == "net"
    page.select_option(":focus", "")
    page.locator("[data-net=device] h3 bdi:text-is('liking')").wait_for(state="detached")
    assert [code.parent for code in read_book(folder).codes] == [None, "device", None, None]
    for name in ("noise", "silence"):
        page.locator("[data-code]").filter(has=page.locator(f"h3 bdi:text-is('{name}')")).focus()
        page.keyboard.press("x")
    page.get_by_role("button", name="Merge").press("Enter")
    page.locator("h3 bdi:text-is('silence')").wait_for(state="detached")
    page.keyboard.press("u")
    page.locator("h3 bdi:text-is('silence')").wait_for()
    assert read_book(folder).names == ("device", "noise", "liking", "silence")
    assert "# ours" in (folder / "codebooks" / "why.yaml").read_text()


def test_two_tabs_never_change_the_same_code(codes_page, new_page, folder):
    first, second = codes_page(), new_page()
    second.goto(first.url)
    for page in (first, second):
        page.locator("[data-act=edit]").first.click()
        page.locator(".editing").wait_for()
    first.fill(".editing textarea[name=definition]", "first")
    first.locator(".editing [data-act=save]").click()
    first.locator(".editing").wait_for(state="detached")
    second.fill(".editing textarea[name=definition]", "second")
    second.locator(".editing [data-act=save]").click()
    second.locator("#message:has-text('was changed elsewhere')").wait_for()
    assert second.locator(".editing textarea[name=definition]").input_value() == "second"
    assert read_book(folder).codes[0].definition == "first"


def test_codes_can_be_changed_without_javascript(codes_page, folder):
    page = codes_page(java_script_enabled=False)
    page.locator("[data-act=edit]").first.click()
    page.fill(".editing [name=name]", "noise")
    page.locator(".editing [data-act=save]").click()
    page.locator("h3 bdi:text-is('noise')").wait_for()
    assert read_book(folder).names[0] == "noise"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 420])
def test_the_page_of_codes_fits_and_is_accessible(codes_page, folder, scheme, width):
    viewport = {"width": width, "height": 900}
    page = codes_page(viewport=viewport, color_scheme=scheme, bypass_csp=True)

    def check():
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        check_for_barriers(page)

    check()
    page.locator("#code-form").get_by_role("button", name="Code the answers").click()
    page.locator("#coded-answers").wait_for(timeout=120_000)
    check()
    page.fill("#words", "loud")
    page.locator("#found .note:text-is('1 answer')").wait_for()
    page.get_by_role("link", name="Change the codes").click()
    page.locator("[data-act=edit]").first.click()
    page.locator(".editing").wait_for()
    check()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1300), ("dark", 420)])
def test_a_scale_is_written_by_keys_and_its_bars_follow(new_page, folder, scheme, width):
    page = new_page(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    page.get_by_role("navigation").get_by_role("link", name="Rate").click()
    page.locator("summary:has-text('Anchors')").click()
    page.get_by_role("link", name="Change these sentences").click()
    page.locator(".effect-bars").wait_for(timeout=120_000)
    page.locator("#lint .verdict").wait_for(timeout=120_000)
    check_for_barriers(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    alone = page.locator("#chart tfoot td").nth(1)
    stored = alone.locator("small").last.inner_text().removeprefix("stored ")
    assert alone.locator("b").inner_text() == stored
    page.locator("#anchor-0-4").fill("")
    page.locator("#chart .note:has-text('must not be empty')").wait_for()
    page.keyboard.type("The sound is fine and I like it a lot.")
    alone.locator(f"b:not(:text-is('{stored}'))").wait_for(timeout=120_000)
    page.locator("#anchor-0-0").focus()
    page.keyboard.press("Enter")
    page.locator("#anchor-0-1:focus").wait_for()
    page.get_by_role("button", name="Add a set").click()
    first = page.locator("#anchor-14-0")
    first.wait_for()
    page.locator("#anchor-14-0:focus").wait_for()
    first.evaluate(
        """(field, text) => {
            const data = new DataTransfer();
            data.setData("text", text);
            const clipboard = {clipboardData: data, bubbles: true, cancelable: true};
            field.dispatchEvent(new ClipboardEvent("paste", clipboard));
        }""",
        "Noise hurts.\nIt is loud.\nIt is there.\nIt is soft.\nIt is bliss.",
    )
    assert page.locator("#anchor-14-4").input_value() == "It is bliss."
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/rate?scale=*")
    sets = load_scale(folder / "scales" / "my-quality.yaml").anchor_sets
    assert sets["set-1"] == ("Noise hurts.", "It is loud.", "It is there.", "It is soft.", "It is bliss.")
    assert "The sound is fine and I like it a lot." in next(iter(sets.values()))
    page.get_by_role("button", name="Undo").click()
    page.locator("#status button").wait_for(state="detached")
    assert not (folder / "scales" / "my-quality.yaml").exists()
