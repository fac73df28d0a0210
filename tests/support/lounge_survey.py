"""A survey of 1,200 visitors of airport lounges, and the three files in which a researcher could receive it.

All closed answers are drawn from a seed, so that every table is known before it is made. The texts of the
open end are those of ``shared/data/constructs`` where that folder is, which the repository does not contain.
"""

import csv
import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import xlsxwriter

N = 1200
FOLDER = Path(__file__).parents[3] / "shared" / "data" / "constructs"
"""The folder with texts that people wrote about lounges, and their ratings."""

NO_TEXTS = ("",) * N
"""Open ends that nobody filled in."""

WAVES = ("May 2026", "November 2026")
CABINS = ("Economy", "Business", "First")
AGES = ("18-24", "25-44", "45-64", "65+")
SATISFACTION = ("Very dissatisfied", "Dissatisfied", "Neither", "Satisfied", "Very satisfied")
QUALITY = ("Very bad", "Bad", "Fair", "Good", "Very good")
OTHER = "Other (please specify)"
SERVICES = ("Food and drinks", "Showers", "Wi-Fi, fast", "Quiet room", "None of these", OTHER)
HEARD = ("Newspaper", "Friends", "Internet", "Travel agency")
ACCESS = ("Ticket", "Card", "Day pass", "Other")
ITEMS = ("Seats", "Food", "Staff")
LOUNGES = ("First lounge", "Second lounge")
OTHER_SERVICES = ("Massage", "Piano", "Smoking room", "a terrace with a view", "Bath", "Printer", "bar")
OTHER_ACCESS = ("invited by a friend", "worked there", "by mistake", "crew")

_NONE, _OTHER = SERVICES.index("None of these"), len(SERVICES) - 1


def truth(seed: int = 41) -> pl.DataFrame:
    """Draw the answers of all respondents.

    Only uniform numbers are drawn, so that the data are the same with every version of NumPy.

    Returns:
        A row for each respondent. Closed answers are numbers from 0, and null without an answer; ``..._why``
        is the reason. ``services`` and ``heard`` are lists of the chosen options.
    """
    rng = np.random.default_rng(seed)

    def draw(shares: Sequence[float]) -> np.ndarray:
        return np.searchsorted(np.cumsum(shares)[:-1], rng.random(N), side="right")

    airport = np.arange(N) % 24
    stratum = airport // 6
    wave = draw([0.48, 0.52])
    cabin = draw([0.55, 0.28, 0.12, 0.05])  # the fourth gave none
    mood = rng.random(N) + 0.12 * wave + 0.1 * (cabin == 2) + 0.15 * (rng.random(24)[airport] - 0.5)

    def score(points: int, noise: float) -> np.ndarray:
        spread = mood + noise * (rng.random(N) - 0.5) + 0.05
        return np.clip((spread / 1.2 * points).astype(int), 0, points - 1)

    columns: dict[str, list[object]] = {
        "id": list(range(1, N + 1)),
        "wave": wave.tolist(),
        "cabin": [None if code == 3 else code for code in cabin.tolist()],
        "age": draw([0.15, 0.4, 0.3, 0.15]).tolist(),
        "weight": np.round(0.4 + 1.2 * rng.random(N) + 0.3 * (stratum == 2), 3).tolist(),
        "stratum": stratum.tolist(),
        "airport": airport.tolist(),
    }
    reasons = ("", "don't know", "refused", "not asked")
    for name, points, noise in (("satisfaction", 5, 0.6), ("recommend", 11, 0.9)):
        why = draw([0.9, 0.05, 0.03, 0.02])
        answers = score(points, noise).tolist()
        columns[name] = [answer if code == 0 else None for answer, code in zip(answers, why, strict=True)]
        columns[f"{name}_why"] = [reasons[code] for code in why]
    for name in ("services", "heard"):
        why = draw([0.72, 0.08, 0.0, 0.2])
        lists = _chosen_services(rng) if name == "services" else _chosen_heard(rng)
        columns[name] = [chosen if code == 0 else None for chosen, code in zip(lists, why, strict=True)]
        columns[f"{name}_why"] = [reasons[code] for code in why]
    texts = draw([1 / len(OTHER_SERVICES)] * len(OTHER_SERVICES))
    columns["other_service"] = [
        OTHER_SERVICES[text] if _OTHER in (chosen or ()) else None
        for text, chosen in zip(texts.tolist(), columns["services"], strict=True)
    ]
    access = draw([0.5, 0.3, 0.15, 0.05])
    texts = draw([1 / len(OTHER_ACCESS)] * len(OTHER_ACCESS))
    columns["access"] = access.tolist()
    columns["other_access"] = [
        OTHER_ACCESS[text] if code == 3 else None
        for text, code in zip(texts.tolist(), access.tolist(), strict=True)
    ]
    for item in ITEMS:
        known, answers = draw([0.94, 0.06]), score(5, 1.1)
        columns[item] = [a if k == 0 else None for a, k in zip(answers.tolist(), known.tolist(), strict=True)]
    seconds = draw([0.6, 0.4])
    for lounge, visited in zip(LOUNGES, (np.zeros(N, dtype=int), seconds), strict=True):
        answers = score(5, 0.8)
        visits = zip(answers.tolist(), visited.tolist(), strict=True)
        columns[lounge] = [answer if code == 0 else None for answer, code in visits]
    columns["mood"] = mood.tolist()
    return pl.DataFrame(columns)


def _chosen_services(rng: np.random.Generator) -> list[list[int]]:
    """Draw the services of each respondent; "none of these" excludes the others."""
    marks = rng.random((N, len(SERVICES))) < (0.62, 0.25, 0.48, 0.2, 0.0, 0.06)
    marks[:, _NONE] = ~marks.any(axis=1)
    return [np.flatnonzero(row).tolist() for row in marks]


def _chosen_heard(rng: np.random.Generator) -> list[list[int]]:
    """Draw by what respondents heard of the lounge, at least one."""
    marks = rng.random((N, len(HEARD))) < (0.1, 0.35, 0.55, 0.2)
    marks[~marks.any(axis=1), 2] = True
    return [np.flatnonzero(row).tolist() for row in marks]


def open_ends(frame: pl.DataFrame) -> list[str]:
    """Return a text for each respondent, better ones for those in a better mood; ``FOLDER`` has them."""
    texts = pl.read_csv(FOLDER / "lounge-comfort.csv").with_columns(
        staff=pl.read_csv(FOLDER / "lounge-staff.csv")["human"]
    )
    ranked = texts.head(N).sort(pl.col("human") + pl.col("staff"), maintain_order=True)["text"].to_list()
    return [ranked[rank - 1] for rank in frame["mood"].rank("ordinal").to_list()]


# The form that somebody puts together in Excel.

_SPELLINGS = (str, str, str.upper, "{}\u00a0".format, "{}  ".format)


def write_workbook(path: Path, frame: pl.DataFrame, texts: Sequence[str] = NO_TEXTS) -> None:
    """Write the survey as a workbook without any sign of a tool.

    Labels are texts with hard blanks and changing case; services have Yes, No, N/A and Don't know; by what
    people heard of the lounge is 1 for not checked and 2 for checked, with 9 and -99 for no answer.
    """
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("Data")
    for number, row in enumerate([_WORKBOOK_HEADS, *_workbook_rows(frame, texts)]):
        sheet.write_row(number, 0, row)
    book.close()


_WORKBOOK_HEADS = (
    "Respondent", "Wave", "Cabin", "Age group", "How satisfied are you with the lounge?",
    "How likely are you to recommend the lounge?", *(f"Services: {service}" for service in SERVICES),
    *(f"heard_{number}" for number in range(1, 5)), "How did you get in?", "How did you get in? [Other]",
    *(f"rating_{item.lower()}" for item in ITEMS), "First lounge: how was it?", "Second lounge: how was it?",
    "Why do you say so?", "Weight", "Region of airport", "Airport",
)  # fmt: skip


def _workbook_rows(frame: pl.DataFrame, texts: Sequence[str]) -> list[list[object]]:
    reasons = {"don't know": "Don't know", "refused": "Refused", "not asked": "N/A"}
    rows = []
    for number, (row, text) in enumerate(zip(frame.iter_rows(named=True), texts, strict=True)):
        spell = _SPELLINGS[number % len(_SPELLINGS)]
        likely = row["recommend"]
        ends = {0: "0 - Not at all likely", 10: "10 - Extremely likely"}
        services = reasons.get(row["services_why"])
        heard = {"don't know": 9, "not asked": -99}.get(row["heard_why"])
        rows.append([
            row["id"],
            WAVES[row["wave"]],
            spell(CABINS[row["cabin"]]) if row["cabin"] is not None else "",
            AGES[row["age"]],
            reasons.get(row["satisfaction_why"]) or spell(SATISFACTION[row["satisfaction"]]),
            ends.get(likely, likely) if likely is not None else reasons[row["recommend_why"]],
            *(services or ("Yes" if n in row["services"] else "No") for n in range(_OTHER)),
            services or row["other_service"] or "",
            *(heard or (2 if n in row["heard"] else 1) for n in range(len(HEARD))),
            ACCESS[row["access"]],
            row["other_access"] or "",
            *(9 if row[item] is None else row[item] + 1 for item in ITEMS),
            *(-99 if row[lounge] is None else spell(QUALITY[row[lounge]]) for lounge in LOUNGES),
            text,
            row["weight"],
            row["stratum"] + 1,
            f"A{row['airport'] + 1:02}",
        ])  # fmt: skip
    return rows


# The export of Qualtrics.

_CODED = {"don't know": "Don't know", "refused": "Prefer not to say", "not asked": ""}


def write_qualtrics(path: Path, frame: pl.DataFrame, texts: Sequence[str] = NO_TEXTS) -> None:
    """Write the survey as Qualtrics exports it, as choice texts: three rows of headers, previews and timings.

    Services are one column, and an option contains a comma; by what people heard of the lounge has a column
    for each option; a question is asked in a loop, once for each lounge.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([name for name, _, _ in _QUALTRICS])
        writer.writerow([text for _, text, _ in _QUALTRICS])
        writer.writerow([json.dumps({"ImportId": name}) for _, _, name in _QUALTRICS])
        writer.writerows(_qualtrics_rows(frame, texts))


_HEARD_Q = "By what did you hear of the lounge?"
_HEARD = tuple(enumerate(HEARD, 1))
_QUALTRICS = (
    ("StartDate", "Start Date", "startDate"),
    ("EndDate", "End Date", "endDate"),
    ("Status", "Response Type", "status"),
    ("IPAddress", "IP Address", "ipAddress"),
    ("Progress", "Progress", "progress"),
    ("Duration (in seconds)", "Duration (in seconds)", "duration"),
    ("Finished", "Finished", "finished"),
    ("RecordedDate", "Recorded Date", "recordedDate"),
    ("ResponseId", "Response ID", "_recordId"),
    ("RecipientEmail", "Recipient Email", "recipientEmail"),
    ("DistributionChannel", "Distribution Channel", "distributionChannel"),
    ("UserLanguage", "User Language", "userLanguage"),
    ("Q1", "How satisfied are you with the lounge?", "QID1"),
    ("Q2_NPS_GROUP", "How likely are you to recommend the lounge? - Group", "QID2_NPS_GROUP"),
    ("Q2", "How likely are you to recommend the lounge?", "QID2"),
    ("Q3", "Which services did you use? - Selected Choice", "QID3"),
    ("Q3_6_TEXT", "Which services did you use? - Other (please specify) - Text", "QID3_6_TEXT"),
    *((f"Q4_{n}", f"{_HEARD_Q} - {label}", f"QID4_{n}") for n, label in _HEARD),
    *((f"Q4_DO_{n}", f"{_HEARD_Q} - Display Order - {label}", f"QID4_DO_{n}") for n, label in _HEARD),
    ("Q5", "How did you get in? - Selected Choice", "QID5"),
    ("Q5_4_TEXT", "How did you get in? - Other - Text", "QID5_4_TEXT"),
    *((f"Q6_{n}", f"How do you rate ... - {item}", f"QID6_{n}") for n, item in enumerate(ITEMS, 1)),
    ("Q7_First Click", "Timing - First Click", "QID7_FIRST_CLICK"),
    ("Q7_Last Click", "Timing - Last Click", "QID7_LAST_CLICK"),
    ("Q7_Page Submit", "Timing - Page Submit", "QID7_PAGE_SUBMIT"),
    ("Q7_Click Count", "Timing - Click Count", "QID7_CLICK_COUNT"),
    ("1_Q8", "First lounge - How was it?", "1_QID8"),
    ("2_Q8", "Second lounge - How was it?", "2_QID8"),
    ("Q9", "Why do you say so?", "QID9_TEXT"),
    ("Q10", "Your age", "QID10"),
    ("wave", "wave", "wave"),
    ("cabin", "cabin", "cabin"),
    ("weight", "weight", "weight"),
    ("region", "region", "region"),
    ("airport", "airport", "airport"),
)
_PREVIEWS = 3


def _qualtrics_rows(frame: pl.DataFrame, texts: Sequence[str]) -> list[list[object]]:
    """Return the rows; the first respondents answer once more, as previews of the author."""
    rows = [
        _qualtrics_row(row, text, "IP Address")
        for row, text in zip(frame.iter_rows(named=True), texts, strict=True)
    ]
    best = frame.filter(recommend=10).head(_PREVIEWS).to_dicts()
    previews = [_qualtrics_row({**row, "id": f"p{row['id']}"}, "test", "Survey Preview") for row in best]
    return [*previews, *rows]


def _qualtrics_row(row: Mapping[str, object], text: str, status: str) -> list[object]:
    recommend, services = row["recommend"], row["services"]
    groups = ["Detractor"] * 7 + ["Passive"] * 2 + ["Promoter"] * 2
    listed = _CODED[row["services_why"]] if services is None else ",".join(SERVICES[n] for n in services)
    # -99: seen, and not answered.
    unmarked = "-99" if row["heard_why"] == "don't know" else ""
    heard = [unmarked if row["heard"] is None else label * (n - 1 in row["heard"]) for n, label in _HEARD]
    quality = [None if row[name] is None else QUALITY[row[name]] for name in (*ITEMS, *LOUNGES)]
    return [
        "2026-05-01 10:00:00", "2026-05-01 10:05:00", status, "192.0.2.1", 100, 300, "True",
        "2026-05-01 10:05:01", f"R_{row['id']}", "", "anonymous", "EN",
        _CODED[row["satisfaction_why"]] if row["satisfaction"] is None else SATISFACTION[row["satisfaction"]],
        "" if recommend is None else groups[recommend],
        "" if recommend is None else recommend,
        listed, row["other_service"] or "",
        *heard,
        *([1, 2, 3, 4] if row["heard_why"] != "not asked" else [""] * 4),
        ACCESS[row["access"]], row["other_access"] or "",
        *(answer or "-99" for answer in quality[:3]),
        1.234, 5.6, 12.345 + float(row["age"]), 3,
        *(answer or "" for answer in quality[3:]),
        text, AGES[row["age"]], WAVES[row["wave"]], "" if row["cabin"] is None else CABINS[row["cabin"]],
        row["weight"], row["stratum"] + 1, f"A{row['airport'] + 1:02}",
    ]  # fmt: skip


# The file of SPSS.

_MISSING = {"don't know": 98, "refused": 99, "not asked": None}


def write_spss(path: Path, frame: pl.DataFrame, texts: Sequence[str] = NO_TEXTS) -> None:
    """Write the survey as a file of SPSS: labels, declared missing values, a set of responses, a weight.

    Services are a set whose counted value 1 is "Used" beside "Not used"; by what people heard of the lounge
    has the same labels on 1 and 2 the other way round, and no set.
    """
    from pyreadstat import write_sav
    from tests.store.readers.spss_files import add_response_sets

    columns = _spss_columns(frame, texts)
    heard = {1: "Not mentioned", 2: "Mentioned", 9: "Don't know"}
    used = {1: "Used", 2: "Not used", 9: "Don't know"}
    quality = {**dict(enumerate(QUALITY, 1)), 9: "No answer"}
    services = [f"serv_{n}" for n in range(1, len(SERVICES) + 1)]
    labels: dict[str, dict[int, str]] = {
        "wave": dict(enumerate(WAVES, 1)),
        "cabin": {**dict(enumerate(CABINS, 1)), 9: "No answer"},
        "age": dict(enumerate(AGES, 1)),
        "sat": {**dict(enumerate(SATISFACTION, 1)), 98: "Don't know", 99: "Refused"},
        "nps": {0: "Not at all likely", 10: "Extremely likely", 98: "Don't know", 99: "Refused"},
        **dict.fromkeys(services, used),
        **dict.fromkeys((f"heard_{n}" for n in range(1, 5)), heard),
        "access": dict(enumerate(ACCESS, 1)),
        **dict.fromkeys(("rate_1", "rate_2", "rate_3", "lounge_1", "lounge_2"), quality),
    }
    wordings = {
        "sat": "How satisfied are you with the lounge?",
        "nps": "How likely are you to recommend the lounge?",
        **dict(zip(services, SERVICES, strict=True)),
        "serv_txt": "Other service",
        **{f"heard_{n}": f"{_HEARD_Q} {label}" for n, label in enumerate(HEARD, 1)},
        "access": "How did you get in?",
        "access_txt": "How did you get in? Other",
        **{f"rate_{n}": f"How do you rate ...: {item}" for n, item in enumerate(ITEMS, 1)},
        "lounge_1": "First lounge: how was it?",
        "lounge_2": "Second lounge: how was it?",
        "why": "Why do you say so?",
    }
    coded = {name: [98, 99] for name in ("sat", "nps")} | {name: [9] for name in ("cabin", *services)}
    coded |= {name: [9] for name in ("rate_1", "rate_2", "rate_3")}
    write_sav(
        columns,
        path,
        column_labels=wordings,
        variable_value_labels=labels,
        missing_ranges=coded,
        variable_measure={"sat": "ordinal", "cabin": "nominal", "access": "nominal"},
    )
    question = "Which services did you use?"
    add_response_sets(path, [f"$services=D1 1 {len(question)} {question} {' '.join(services)}"])
    content = bytearray(path.read_bytes())
    content[76:80] = struct.pack("<i", columns.columns.index("wt") + 1)  # texts come after it
    path.write_bytes(content)


def _spss_columns(frame: pl.DataFrame, texts: Sequence[str]) -> pl.DataFrame:
    """Return the variables; texts are the last, as a text can have several places in the dictionary."""
    rows = frame.to_dicts()

    def codes(name: str, first: int = 1, missing: int | None = None) -> list[int | None]:
        return [missing if row[name] is None else row[name] + first for row in rows]

    def reasons(name: str, first: int = 1) -> list[int | None]:
        return [_MISSING[row[f"{name}_why"]] if row[name] is None else row[name] + first for row in rows]

    def marks(name: str, option: int, values: tuple[int, int], unasked: int | None) -> list[int | None]:
        missing = {"don't know": 9, "not asked": unasked}
        return [
            missing[row[f"{name}_why"]] if row[name] is None else values[option not in row[name]]
            for row in rows
        ]

    return pl.DataFrame({
        "id": frame["id"],
        "wave": codes("wave"),
        "cabin": codes("cabin", missing=9),
        "age": codes("age"),
        "sat": reasons("satisfaction"),
        "nps": reasons("recommend", 0),
        **{f"serv_{n + 1}": marks("services", n, (1, 2), None) for n in range(len(SERVICES))},
        **{f"heard_{n + 1}": marks("heard", n, (2, 1), -99) for n in range(len(HEARD))},
        "access": codes("access"),
        **{f"rate_{n}": codes(item, missing=9) for n, item in enumerate(ITEMS, 1)},
        **{f"lounge_{n}": codes(lounge) for n, lounge in enumerate(LOUNGES, 1)},
        "wt": frame["weight"],
        "region": codes("stratum"),
        "airport": [f"A{code + 1:02}" for code in frame["airport"]],
        "serv_txt": frame["other_service"].fill_null(""),
        "access_txt": frame["other_access"].fill_null(""),
        "why": pl.Series(texts, dtype=pl.String),
    })  # fmt: skip
