"""Names of fields in messages that were written for the command line."""

import re

_OPTION = re.compile(r"--([a-z][a-z-]*)(?: (?!out\b)(?=[\w']))?")


def in_request(words: str) -> str:
    """Write options as the fields of a request, with which one asks here.

    Example:
        >>> in_request("b.csv is an Excel file, whatever its name says: read it with --format xlsx")
        'b.csv is an Excel file, whatever its name says: read it with format=xlsx'
        >>> in_request("leave --header out, or say plain"), in_request("name another with --sheet: a, b")
        ('leave header out, or say plain', 'name another with sheet: a, b')
    """

    def written(option: re.Match[str]) -> str:
        name = option[1].replace("-", "_")
        return f"{name}=" if option[0].endswith(" ") else name

    return _OPTION.sub(written, words)
