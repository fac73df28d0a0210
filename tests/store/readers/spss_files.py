"""Files of SPSS for tests."""

import struct
from datetime import date

import polars as pl

FRAME = pl.DataFrame(
    {
        "id": [1.0, 2.0, 3.0, 4.0],
        "region": [1.0, 2.0, 9.0, None],
        "why": ["It was great.", "bad", "", "-99"],
        "wt": [1.5, 0.5, 1.0, 1.0],
        "day": [date(2024, 1, 31)] * 4,
    }
)


def write_spss(path, frame=FRAME, *, weight_place=0):
    """Write a survey; ``weight_place`` is that of the weight's segment in the dictionary, from 1.

    A text of 13 characters has two segments of 8 bytes, so those of id, region, why, wt are 1, 2, 3 to 4, 5.
    """
    from pyreadstat import write_sav

    write_sav(
        frame,
        path,
        column_labels={"region": "Where do you live?", "why": "Why?"},
        variable_value_labels={"region": {1.0: "north", 2.0: "south", 9.0: "refused"}},
        missing_ranges={"region": [9], "why": ["-99"]},
        variable_measure={"region": "nominal"},
        compress=path.suffix == ".zsav",
    )
    content = bytearray(path.read_bytes())
    content[76:80] = struct.pack("<i", weight_place)
    path.write_bytes(content)
    return path


def add_response_sets(path, sets):
    """Add sets of multiple responses to a file: a record of type 7, subtype 7, before the dictionary's end.

    Args:
        path: an SPSS file, not compressed as .zsav.
        sets: lines such as ``$ads=D1 1 4 Seen ad_a ad_b`` (counted value 1, label of 4 characters) or
            ``$top=C 5 Brand m1 m2``.
    """
    content = path.read_bytes()
    text = "".join(f"{entry}\n" for entry in sets).encode()
    record = struct.pack("<iiii", 7, 7, 1, len(text)) + text
    end = content.index(struct.pack("<ii", 999, 0))
    path.write_bytes(content[:end] + record + content[end:])
