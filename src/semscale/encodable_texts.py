"""Texts that UTF-8 can hold, as files, databases and tokenizers need them."""


def encodable(text: str) -> str:
    r"""Replace unpaired surrogates, which are no characters, by U+FFFD.

    Example:
        >>> encodable("good\ud83d") == "good\ufffd"
        True
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
