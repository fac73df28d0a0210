"""Recognises replies that decline to give a score."""

import re


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


_OPENING = 1000
_APOLOGY = r"""
    (?: (?: i'm | i[ ]am | we[ ]are | we're )[ \t]+(?: (?:very|really|truly)[ ] )?sorry | sorry |
      i[ ]apologi[sz]e
      | apologies | unfortunately ) \b [,.!]? [ \t]* (?: but[ \t]+ )?
"""
_REFUSAL = _pattern(rf"""
    \A \s* (?: {_APOLOGY} )?
    (?: as[ ]an?[ ](?:ai|artificial|language|large)[^,.\n]{{0,40}}[,.]?[ \t]* )?
    (?: i | we )
    (?: [ \t]+ (?: (?:really|simply|just)[ ] )? (?: cannot | can't | can[ ]not | could[ ]not | couldn't |
      won't
        | will[ ]not | must[ ]decline | have[ ]to[ ]decline | decline | refuse |
          (?:do[ ]not|don't)[ ]feel[ ]comfortable )
      | (?: 'm | [ ]am | 're | [ ]are ) [ \t]+ (?: not[ ] )? (?: unable | able | comfortable | willing ) ) \b
""")
_AGAINST_RULES = _pattern(rf"""
    \A \s* {_APOLOGY} (?: this | that | it | your[ ]request | the[ ]request ) \b [^.\n]{{0,60}} \b
    (?: against | violates | not[ ](?:allowed|appropriate|possible) )
""")
_NO_SCORE = _pattern(r"""
    \A \s* (?: (?: (?:final|overall)[ ] )? (?:score|rating|verdict|grade) \s* [:=] \s* )? ["'(\[{]* \s*
    (?: n\s*/\s*a | n\.a\. | na | not[ ]applicable | no[ ]score | none | null | not[ ]scorable
      | unable[ ]to[ ](?:judge|score|rate|determine|assess|evaluate)
      | cannot[ ](?:be[ ])?(?:judged?|scored?|rated?|determined?|assess(?:ed)?|evaluated?) )
    \b [^\n]{0,80} \s* \Z
""")


def is_refusal(text: str) -> bool:
    """Whether a reply that states no score declines to give one.

    Args:
        text: as ``readable`` gives it.

    Example:
        >>> is_refusal("I'm sorry, but I can't help with that."), is_refusal("Score: N/A"), is_refusal("hm")
        (True, True, False)
    """
    opening = text.strip()[:_OPENING]
    return any(pattern.search(opening) for pattern in (_REFUSAL, _AGAINST_RULES, _NO_SCORE))
