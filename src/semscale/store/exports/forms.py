"""Exports of web forms with one row of questions: Google Forms, Microsoft Forms and Typeform.

References:
    Google Docs editors help, "View & manage form responses": a column for each question and each row of a
    grid, ", " between checked boxes. Microsoft support, "Check and share your form results": ID, start and
    completion time, email and name come first, and ";" follows each choice. Typeform help, "Export results":
    a column for each choice, named and filled by its text.
"""

import re
from collections.abc import Sequence
from datetime import date

from semscale.store.exports.headers import (
    Row,
    SurveyHeader,
    count_present,
    repeated_labels,
    system_labels,
    system_roles,
    unique_names,
)
from semscale.store.table import ColumnLabels

_TIMESTAMPS = frozenset({
    "timestamp", "zeitstempel", "horodateur", "marca temporal", "informazioni cronologiche",
    "carimbo de data/hora", "tijdstempel", "sygnatura czasowa", "タイムスタンプ", "时间戳记", "時間戳記",
    "طابع زمني", "टाइमस्टैम्प", "отметка времени", "zaman damgası", "tidstämpel", "tidsstempel", "aikaleima",
    "časové razítko", "časová pečiatka", "időbélyeg", "marcaj de timp", "타임스탬프", "stempel waktu",
})  # fmt: skip
_TIME = re.compile(r"\d{1,4}\W{1,2}\d{1,2}\W{1,2}\d{1,4}\b.*\d{1,2}[:.]\d{2}.*")
_GRID = re.compile(r"(?P<question>.*\S)\s*\[(?P<item>[^\[\]]+)\]\s*", re.DOTALL)
GOOGLE_ROLES = system_roles(
    date=", ".join(_TIMESTAMPS),
    ignore=(
        "email address, username, score, e-mail-adresse, nutzername, punktzahl, adresse e-mail, "
        "nom d'utilisateur, puntuación, dirección de correo electrónico, nombre de usuario, "
        "indirizzo email, nome utente, punteggio, endereço de e-mail, nome de usuário, pontuação, "
        "e-mailadres, gebruikersnaam, adres e-mail, nazwa użytkownika, メールアドレス, ユーザー名, スコア, "
        "电子邮件地址, 用户名, 得分"
    ),
)
"""Columns that Google Forms adds by itself."""


def read_google_header(names: Sequence[str], rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of Google Forms; ``None`` for a file of another tool.

    It is recognised by a first column "Timestamp", in any of the languages, with a date and a time.
    """
    first = rows[0][0] if rows and len(rows[0]) else None
    is_time = isinstance(first, date) or bool(_TIME.fullmatch(str(first or "").strip()))
    if names[0].strip().casefold() not in _TIMESTAMPS or not is_time:
        return None
    columns = unique_names(names)
    labels = repeated_labels(names, columns)
    for column in columns:
        if item := _GRID.fullmatch(column):
            labels[column] = ColumnLabels(item["question"], item["question"], item["item"].strip())
    labels |= system_labels(columns, GOOGLE_ROLES)
    return SurveyHeader(tuple(columns), 0, labels, export="Google Forms")


_STARTS = frozenset({
    "start time", "startzeit", "heure de début", "hora de inicio", "ora di inizio", "hora de início",
    "begintijd", "godzina rozpoczęcia", "開始時刻", "开始时间", "開始時間", "وقت البدء", "प्रारंभ समय",
    "starttid", "starttidspunkt", "aloitusaika", "čas zahájení", "başlangıç zamanı", "время начала",
    "시작 시간",
})  # fmt: skip
_ENDS = frozenset({
    "completion time", "fertigstellungszeit", "heure de fin", "hora de finalización", "ora di completamento",
    "hora de conclusão", "tijd van voltooien", "godzina ukończenia", "完了時刻", "完成时间", "完成時間",
    "وقت الإكمال", "पूर्णता समय", "slutförandetid", "sluttid", "fullføringstidspunkt", "fuldførelsestidspunkt",
    "päättymisaika", "čas dokončení", "tamamlanma zamanı", "время выполнения", "완료 시간",
})  # fmt: skip
_NUMBERS = frozenset({"id", "identyfikator", "المعرف", "आईडी"})
MICROSOFT_ROLES = system_roles(
    identifier=", ".join(_NUMBERS),
    date=", ".join((*_STARTS, *_ENDS, "last modified time, uhrzeit der letzten änderung")),
    ignore=(
        "email, e-mail, e-mail-adresse, adresse de messagerie, adresse e-mail, correo electrónico, "
        "posta elettronica, indirizzo di posta elettronica, e-mailadres, adres e-mail, メール, 電子メール, "
        "电子邮件, 電子郵件, البريد الإلكتروني, ईमेल, e-post, name, nom, nombre, nome, naam, nazwa, "
        "imię i nazwisko, 名前, 姓名, 名称, الاسم, नाम, namn, navn, total points, quiz feedback, "
        "gesamtpunktzahl, quizfeedback, "
        "grade posted time, language, sprache, langue, idioma, lingua, taal, język, 言語, 语言, 語言"
    ),
)
"""Columns that Microsoft Forms adds by itself, beside the points and feedback of a quiz."""

_OF_QUIZ = ("Points - ", "Feedback - ", "Punkte - ", "Points – ", "Feedback – ", "Punkte – ")


def read_microsoft_header(names: Sequence[str], _rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of Microsoft Forms; ``None`` for a file of another tool.

    It is recognised by "ID", "Start time" and "Completion time" in the first columns, in several languages.
    """
    first = {name.strip().casefold() for name in names[:4]}
    if not all(first & signs for signs in (_NUMBERS, _STARTS, _ENDS)):
        return None
    columns = unique_names(names)
    labels = repeated_labels(names, columns)
    # A question may have the name of a column that the tool adds, which are the first ones.
    labels |= system_labels(columns[:_MOST_ADDED], MICROSOFT_ROLES)
    labels |= {column: ColumnLabels(role="ignore") for column in columns if column.startswith(_OF_QUIZ)}
    return SurveyHeader(tuple(columns), 0, labels, export="Microsoft Forms")


_MOST_ADDED = 10

TYPEFORM_ROLES = system_roles(
    identifier="#",
    date="start date (utc), stage date (utc), submit date (utc)",
    ignore="network id, response type, tags, ending",
)
"""Columns that Typeform adds by itself."""

_FEWEST = 2


def read_typeform_header(names: Sequence[str], _rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of Typeform; ``None`` for a file of another tool.

    It is recognised by a first column "#", and two of "Network ID", "Start Date (UTC)" and "Submit Date
    (UTC)".
    """
    signs = frozenset({"network id", "start date (utc)", "submit date (utc)"})
    if names[0].strip() != "#" or count_present(names, signs) < _FEWEST:
        return None
    columns = unique_names(names)
    labels = repeated_labels(names, columns) | system_labels(columns, TYPEFORM_ROLES)
    return SurveyHeader(tuple(columns), 0, labels, export="Typeform")
