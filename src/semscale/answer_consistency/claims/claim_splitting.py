"""Splits texts into claims that stand alone: by a chat model, or into sentences without one."""

import re
from collections.abc import Callable, Sequence

from semscale.chat.messages import Request
from semscale.chat.runner import Runner
from semscale.matching.entailment.sentences import worded_sentences
from semscale.store.columns import text_status
from semscale.types import Progress, Status

_SYSTEM = (
    "You split texts into claims. A claim is one short sentence that states a single fact and can be "
    "understood alone: put names in the place of words such as he, it or this. Leave nothing out, add "
    "nothing, and judge nothing. Write each claim on a line of its own that begins with '- '. If the text "
    "states no fact, write only: NONE"
)
_LINE = re.compile(r"^\s*(?:[-*•]|#{2,}|\d+[.)])\s+(.+?)\s*$", re.MULTILINE)
_NONE = re.compile(r"\W*none\W*", re.IGNORECASE)
_LIST_MARK = re.compile(r"(?:[-*•–—]|#{1,6})\s+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_REPLIES = frozenset((
    "absolutely", "agreed", "certainly", "correct", "course", "definitely", "exactly", "false", "fine",
    "good", "great", "hello", "hey", "hi", "incorrect", "indeed", "maybe", "no", "nope", "of", "ok",
    "okay", "oh", "perhaps", "please", "possibly", "probably", "right", "sure", "thank", "thanks",
    "true", "unfortunately", "very", "well", "wrong", "yeah", "yep", "yes", "you",
))  # fmt: skip


def sentence_claims(text: object) -> list[str]:
    """Split a text into its sentences that may state something; none for what is no text.

    Marks of lists and headings before a sentence are left out. A sentence of replies alone, such as "Yes." or
    "OK.", states nothing by itself and is passed over, like one without letters and digits.

    Example:
        >>> sentence_claims("It is tall. It is old."), sentence_claims(None)
        (['It is tall.', 'It is old.'], [])
        >>> sentence_claims("Yes, of course. - It costs $5.")
        ['It costs $5.']
    """
    if not isinstance(text, str) or text_status(text) is not Status.SCORED:
        return []
    sentences = (
        _LIST_MARK.sub("", one, count=1) if _LIST_MARK.match(one) else one for one in worded_sentences(text)
    )
    return [sentence for sentence in sentences if _states_something(sentence)]


def _states_something(sentence: str) -> bool:
    """Tell whether a sentence has more words, or digits, than those of a reply."""
    return any(map(str.isalnum, sentence)) and not _REPLIES.issuperset(_WORD.findall(sentence.casefold()))


def claims_request(text: str, template: Callable[[str], str] | None = None) -> Request:
    """Build the request that asks a chat model for the claims of a text.

    Args:
        text: what is split.
        template: makes the whole prompt of the text; Semscale's own unless given. The reply must have a
            claim on each line that begins with ``-``, ``*``, ``###`` or a number.
    """
    if template is not None:
        return Request.of(template(text), temperature=0.0)
    return Request.of(f"Text:\n{text}", system=_SYSTEM, temperature=0.0)


def read_claims(reply: str) -> list[str] | None:
    r"""Read the claims of a reply: what follows the mark on each marked line, each claim once.

    Returns:
        Claims in their order; an empty list where the reply says that there are none, and ``None`` where it
        has neither.

    Example:
        >>> read_claims("Here they are:\n- The tower is tall.\n- It is old.")
        ['The tower is tall.', 'It is old.']
        >>> read_claims("NONE"), read_claims("I cannot do that.")
        ([], None)
    """
    found = list(dict.fromkeys(_LINE.findall(reply)))
    claims = [claim for claim in found if not _NONE.fullmatch(claim)]
    return claims if found or _NONE.fullmatch(reply) else None


async def split_claims(
    texts: Sequence[object],
    runner: Runner,
    *,
    template: Callable[[str], str] | None = None,
    progress: Progress | None = None,
) -> list[list[str] | None]:
    """Ask a chat model for the claims of texts; equal texts are asked about once.

    Args:
        texts: n texts.
        runner: sends the requests.
        template: as ``claims_request`` takes it.
        progress: called while replies come.

    Returns:
        For each text its claims: none for what is no text, and ``None`` where no reply came or none with
        claims in it.

    Raises:
        ReplyError: no call can succeed.
    """
    asked = list(dict.fromkeys(text for text in texts if sentence_claims(text) and isinstance(text, str)))
    outcomes = await runner.collect([claims_request(text, template) for text in asked], progress=progress)
    replies = [outcome.reply for outcome in outcomes]
    known = {
        text: None if reply is None else read_claims(reply.text)
        for text, reply in zip(asked, replies, strict=True)
    }
    return [known[text] if isinstance(text, str) and text in known else [] for text in texts]
