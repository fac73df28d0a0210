"""Exports of REDCap: raw data, whose checkboxes are columns such as drinks___1, or labels.

References:
    REDCap's help on exports: a checkbox field has a column for each choice, named by the field, three
    underscores and the choice's code ("-" as "_"), with 0 and 1; with labels it is named
    "Question (choice=Label)", with Checked and Unchecked.
"""

import re
from collections.abc import Sequence

from semscale.store.exports.headers import Row, SurveyHeader, system_labels, system_roles, unique_names
from semscale.store.table import ColumnLabels

_RAW = re.compile(r"(?P<question>[a-z]\w*?)___(?P<code>\w+)")
_LABELLED = re.compile(r"(?P<question>.*\S)\s*\(choice=(?P<option>.*)\)", re.DOTALL)
_REPEATED = re.compile(r"(?P<name>.*?)(?: \(\d+\))?")
ROLES = system_roles(
    identifier="record_id, record id",
    date="survey timestamp",
    wave="redcap_event_name, event name",
    ignore=(
        "redcap_repeat_instrument, redcap_repeat_instance, redcap_data_access_group, "
        "redcap_survey_identifier, repeat instrument, repeat instance, data access group, "
        "survey identifier, complete?"
    ),
)
"""Columns that REDCap adds by itself, beside those that end in ``_complete`` and ``_timestamp``."""


def read_header(names: Sequence[str], _rows: Sequence[Row]) -> SurveyHeader | None:
    """Read the header of an export of REDCap; ``None`` for a file of another tool.

    It is recognised by columns whose names begin with ``redcap_``, by checkboxes beside ``record_id`` or a
    form's state, and with labels by ``(choice=...)``, or by "Record ID" beside "Complete?".
    """
    keys = {name.strip().casefold() for name in names}
    has_checkbox = any(map(_RAW.fullmatch, names))
    has_state = any(key.endswith("_complete") for key in keys)
    is_raw = any(key.startswith("redcap_") for key in keys) or (
        has_checkbox and (has_state or "record_id" in keys)
    )
    is_labelled = any(map(_LABELLED.fullmatch, names)) or {"record id", "complete?"} <= keys
    if not is_raw and not is_labelled:
        return None
    columns = unique_names(names)
    labels = {column: _labels(column) for column in columns}
    return SurveyHeader(
        tuple(columns),
        0,
        {column: entry for column, entry in labels.items() if entry != ColumnLabels()},
        export="REDCap",
    )


def _labels(column: str) -> ColumnLabels:
    first = _REPEATED.fullmatch(column)
    name = first["name"] if first else column
    if system := system_labels([name], ROLES):
        return system[name]
    if name.endswith("_complete"):
        return ColumnLabels(role="ignore")
    if name.endswith("_timestamp"):
        return ColumnLabels(role="date")
    if raw := _RAW.fullmatch(name):
        return ColumnLabels(question=raw["question"], option=re.sub(r"^_(?=\d)", "-", raw["code"]))
    if labelled := _LABELLED.fullmatch(name):
        return ColumnLabels(labelled["question"], labelled["question"], labelled["option"].strip())
    return ColumnLabels()
