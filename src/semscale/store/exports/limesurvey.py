"""Exports of LimeSurvey: columns by codes such as Q1[SQ001] or Q1_SQ001, by texts, or by both.

References:
    LimeSurvey manual, "Export responses"; its source, application/helpers/admin/export: headings (``Writer``)
    and full answers (``SurveyObj``), which write N/A for an option that was not displayed.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from semscale.store.exports.headers import Row, SurveyHeader, count_present, system_labels, system_roles
from semscale.store.table import ColumnLabels

_SIGNS = frozenset({
    "submitdate", "lastpage", "startlanguage", "date submitted", "last page", "start language",
    "datum abgeschickt", "letzte seite", "start-sprache", "zufallsstartwert",
    "date de soumission", "dernière page", "langue de départ", "langue de démarrage",
    "fecha de envío", "última página", "lenguaje inicial", "idioma inicial",
    "data di invio", "data invio", "ultima pagina", "lingua iniziale",
    "data de envio", "datum ingestuurd", "datum verzonden", "laatste pagina", "starttaal",
    "data wysłania", "data zakończenia", "ostatnia strona", "język początkowy",
})  # fmt: skip
_FEWEST = 2
_CODED = re.compile(
    r"(?P<name>(?P<code>[^\W_]\w*?)"
    r"(?:\[(?P<part>[\w#-]+)\](?:\[(?P<scale>\w+)\])?|_(?P<underlined>[^\W_]+(?:_[^\W_]+)?(?:\#\d)?))?)"
    r"(?:(?:[.:]\s+|(?<=\])\s+)(?P<text>.+))?",
    re.DOTALL,
)
_COMMENTS = frozenset({
    "comment", "kommentar", "commentaire", "comentario", "commento", "comentário", "opmerking", "komentarz",
})  # fmt: skip
_OTHERS = frozenset(
    {"other", "sonstiges", "autre", "otro", "otra", "altro", "outro", "anders", "inne", "inny"}
)
_OTHER = {"-oth-": "other"}
_RANK = re.compile(r"(?:rank(?:ing)?|rang|rango|classement|posto|pozycja|順位|排名)\s*\d+", re.IGNORECASE)
ROLES = system_roles(
    identifier=(
        "id, response id, antwort id, id de la réponse, id de respuesta, id risposta, id da resposta, "
        "antwoord id, id odpowiedzi"
    ),
    date=(
        "submitdate, date submitted, startdate, date started, datestamp, date last action, "
        "datum abgeschickt, datum gestartet, datum letzte aktivität, date de soumission, date de lancement, "
        "date de la dernière action, fecha de envío, fecha de inicio, fecha de la última acción, "
        "data di invio, data invio, data di inizio, data de envio, data de início, datum ingestuurd, "
        "datum verzonden, data wysłania, data zakończenia, data rozpoczęcia"
    ),
    ignore=(
        "lastpage, last page, startlanguage, start language, seed, token, access code, ipaddr, ip address, "
        "refurl, referrer url, interviewtime, total time, letzte seite, start-sprache, zufallsstartwert, "
        "zugangscode, ip-adresse, weiterleitungs-url, gesamtzeit, dernière page, langue de départ, "
        "langue de démarrage, tête de série, adresse ip, última página, lenguaje inicial, idioma inicial, "
        "semilla, dirección ip, ultima pagina, lingua iniziale, seme, indirizzo ip, semente, endereço ip, "
        "laatste pagina, starttaal, ip-adres, ostatnia strona, język początkowy, adres ip"
    ),
)
"""Columns that LimeSurvey adds by itself."""


def read_header(names: Sequence[str], _rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of LimeSurvey; ``None`` for a file of another tool."""
    if not is_limesurvey(names):
        return None
    columns, labels = limesurvey_columns(names)
    for column, system in system_labels(columns, ROLES).items():
        labels[column] = replace(labels.get(column, ColumnLabels()), role=system.role)
    return SurveyHeader(tuple(columns), 0, labels, export="LimeSurvey")


def is_limesurvey(names: Sequence[str]) -> bool:
    """Recognise an export by LimeSurvey's own columns, in any of the three forms of its header.

    Examples:
        >>> is_limesurvey(["id", "submitdate", "lastpage", "Q1", "Q2[SQ001]"])
        True
    """
    of_tool = [name for name in names if count_present(name.split(".", 1), _SIGNS)]
    return len(of_tool) >= _FEWEST


def limesurvey_columns(names: Sequence[str]) -> tuple[list[str], dict[str, ColumnLabels]]:
    """Name the columns by their codes, if there are codes, and label the columns of each question.

    Args:
        names: the header: codes, codes with texts, or texts.

    Returns:
        The names and the columns' labels. Headers with only texts are not changed.

    Examples:
        >>> names, labels = limesurvey_columns(["Q1[A]. Which? [Tea]", "Q1[B]. Which? [Coffee]"])
        >>> names, labels["Q1[A]"].question, labels["Q1[A]"].option
        (['Q1[A]', 'Q1[B]'], 'Q1', 'Tea')
    """
    read = [_read_column(name) for name in names]
    columns = [name for name, _ in read]
    if len(set(columns)) < len(columns):
        columns = list(names)
    labels = {column: entry for column, (_, entry) in zip(columns, read, strict=True)}
    single = {question for question in columns if labels[question].question == ""}
    sizes = Counter(entry.question for entry in labels.values())
    for column, entry in labels.items():
        is_other = entry.is_text or entry.option.casefold() in _OTHERS
        is_beside = is_other and entry.question in single
        if is_beside and column.rstrip("]").endswith("other"):
            answer = labels[entry.question]
            labels[entry.question] = replace(answer, values=_OTHER, measure="nominal")
        if entry.question and (is_beside or sizes[entry.question] == 1):
            labels[column] = replace(entry, question="", is_text=entry.is_text or is_beside)
    return columns, {column: entry for column, entry in labels.items() if entry != ColumnLabels()}


def _read_column(name: str) -> tuple[str, ColumnLabels]:
    """Read one cell of the header: the column's name and labels."""
    coded = _CODED.fullmatch(name.strip())
    if coded is None or _is_own(name):
        return name, _labels_of_text(name) if coded is None else ColumnLabels()
    code, text = coded["code"], (coded["text"] or "").strip()
    part = coded["part"] or coded["underlined"]
    if part is None:
        return code, ColumnLabels(label=text)
    column = coded["name"]
    wording, options = _split_brackets(text)
    if part.endswith("comment"):
        return column, ColumnLabels(label=text, is_text=True)
    if coded["scale"]:
        option = options[0] if options else part
        return column, ColumnLabels(wording, f"{code}.{coded['scale']}", option)
    row, _, cell = part.partition("_")
    if cell:
        wording = f"{wording} [{options[0]}]" if len(options) > 1 else wording
        return column, ColumnLabels(wording, f"{code}_{row}", options[-1] if options else cell)
    option = options[-1] if options else part
    is_rank = bool(_RANK.fullmatch(option))
    return column, ColumnLabels(wording, code, option, is_text=part == "other", are_mentions=is_rank)


def _is_own(name: str) -> bool:
    return name.strip().casefold() in ROLES


def _labels_of_text(name: str) -> ColumnLabels:
    """Read a header that has only the question's text and its option."""
    wording, options = _split_brackets(name)
    if not options:
        return ColumnLabels()
    *_, option = options
    if option.casefold() in _COMMENTS:
        return ColumnLabels(name, is_text=True)
    is_rank = bool(_RANK.fullmatch(option))
    return ColumnLabels(wording, wording, option, are_mentions=is_rank)


def _split_brackets(text: str) -> tuple[str, list[str]]:
    """Split a text into the question and the options in brackets at its end, which may contain brackets.

    Examples:
        >>> _split_brackets("Which drinks [if any]? [Tea [green]]")
        ('Which drinks [if any]?', ['Tea [green]'])
    """
    options: list[str] = []
    rest = text.rstrip()
    while rest.endswith("]"):
        depth, start = 0, len(rest)
        while start > 0:
            start -= 1
            depth += {"]": 1, "[": -1}.get(rest[start], 0)
            if not depth:
                break
        if depth or not rest[:start].strip():
            break
        options.insert(0, rest[start + 1 : -1])
        rest = rest[:start].rstrip()
    return (rest, options) if options else (text, [])


UNFINISHED: Mapping[str, Mapping[str, str]] = {
    name: {"": "not finished"} for name in ("submitdate", "Date submitted", "Datum Abgeschickt")
}
"""Columns that mark unfinished interviews: descriptions of a row by value; ``""`` is an empty cell."""
