"""Recognition of replies that decline to answer or to give a score, or state that the answer is not known."""

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


_CANNOT = r"""
    (?: (?: i | we )
        (?: [ \t]+ (?: (?:really|simply|just)[ ] )?
            (?: cannot | can't | can[ ]not | could[ ]not | couldn't | won't | will[ ]not )
          | (?: 'm | [ ]am | 're | [ ]are )[ ](?: unable | not[ ]able | not[ ]willing | unwilling )[ ]to )
    )
"""
_ANSWERING = r"""
    (?: help | assist | comply | continue | do[ ]that | do[ ]this
      | (?: answer | respond | provide | give | offer | share | discuss | advise | assess | judge | evaluate
          | determine | recommend | generate | create | write | produce | fulfil+ | complete | engage
          | support | participate | process | access | verify | speculate ) \b (?! [ ]enough )
    )
"""
_UNCOMFORTABLE = r"""
    (?: i | we ) (?: (?: 'm | [ ]am | 're | [ ]are )[ ]not | [ ](?: do[ ]not | don't )[ ]feel )[ ]
    comfortable[ ]
    (?: with | answering | providing | discussing | giving | helping | to[ ]answer )
"""
_DECLINE = r"""
    (?: i | we )[ ] (?: (?: must | have[ ]to )[ ] )? (?: respectfully[ ] )? (?: decline | refuse )[ ]to[ ]
    (?: answer | help | assist | comply | respond | provide | give | discuss | do )
"""
_DECLINED = _pattern(rf"""
    \A [\s*_"'(\[]* (?: {_APOLOGY} )?
    (?: as[ ]an?[ ](?:ai|artificial|language|large)[^,.\n]{{0,40}}[,.]?[ \t]* )?
    (?: {_CANNOT} [ \t]+ {_ANSWERING} | {_UNCOMFORTABLE} | {_DECLINE} ) \b
""")
_FORBIDDEN = _pattern(rf"""
    \A \s* {_APOLOGY} (?: this | that | it | your[ ]request | the[ ]request ) \b [^.\n]{{0,60}} \b
    (?: against | violates )[ ](?: my | our | the )[ ]
    (?: guidelines | rules | policy | policies | programming )
""")
_NO_ANSWER = _pattern(r"""
    \A [\s*_"'(\[]* (?: (?:final[ ])? answer \s* [:=] \s* )? ["'(\[{*_]* \s*
    (?: n\s*/\s*a | n\.a\. | (?-i:NA) | not[ ]applicable | no[ ](?:answer|response|comment)
      | unable[ ]to[ ](?: answer | determine ) | cannot[ ](?: answer | be[ ](?: answered | determined ) ) )
    [\s.!*_"')\]}]* \Z
""")
_AFTER_ALL = _pattern(r"""
    \b (?: however | that[ ]said | nevertheless | nonetheless | still | in[ ]general | generally
      | but (?![ ](?:i|we)[ ](?:can't|cannot)) ) \b
    (?! [, ]* (?: if | please | feel | i[ ](?:can|could|would|am|will) | i'm | i'd | i'll | we[ ]can ) \b )
""")
_NOT_KNOWN = _pattern(rf"""
    \A [\s*_"'(\[]* (?: (?:final[ ])? answer \s* [:=] \s* )? ["'(\[{{*_]* (?: {_APOLOGY} )?
    (?: (?: (?: i | we )[ ] (?: (?:really|honestly|simply|just)[ ] )? )? (?: do[ ]not | don't )[ ]
          (?: really[ ] )? know
      | i (?: [ ]have | 've[ ]got )[ ]no[ ](?: idea | clue ) | no[ ](?: idea | clue ) | dunno | idk
      | (?: (?: i(?: 'm | [ ]am ) | we(?: 're | [ ]are ) )[ ] )? not[ ](?: sure | certain ) )
    (?: [ ](?: the | an )[ ]answer )?
    (?: [ ](?: (?: to | about | of )[ ] )? (?: this | that | it | your[ ]question )(?: [ ]question )? )?
    [\s.!*_"')\]}}]* \Z
""")
_LONGEST = 600


def declines_to_answer(text: str) -> bool:
    """Return whether a text declines to answer a question and contains nothing else.

    It must begin with a refusal; a text that continues at length, or retracts it ("However, ..."), is an
    answer. "None" and "I don't know" do not decline.

    Args:
        text: any English text.

    Examples:
        >>> declines_to_answer("I\u2019m sorry, but I can\u2019t help with that."), declines_to_answer("N/A")
        (True, True)
        >>> declines_to_answer("I cannot swim."), declines_to_answer("It is not applicable to cats.")
        (False, False)
    """
    plain = _plain(text)
    if len(plain) > _LONGEST:
        return False
    if _NO_ANSWER.search(plain):
        return True
    opening = _DECLINED.search(plain) or _FORBIDDEN.search(plain)
    return opening is not None and _AFTER_ALL.search(plain, opening.end()) is None


def says_not_known(text: str) -> bool:
    """Return whether a text states only that the answer is not known.

    Args:
        text: any English text.

    Examples:
        >>> says_not_known("I don\u2019t know."), says_not_known("Sorry, I have no idea")
        (True, True)
        >>> says_not_known("I don't know, but probably Rome."), says_not_known("Unknown")
        (False, False)
    """
    return _NOT_KNOWN.search(_plain(text)) is not None


def _plain(text: str) -> str:
    return text.strip().replace("\u2019", "'")


def gives_no_answer(text: str) -> bool:
    """Return whether a text declines to answer or states that the answer is not known.

    Args:
        text: any English text.
    """
    return declines_to_answer(text) or says_not_known(text)


def declines_to_score(text: str) -> bool:
    """Return whether a reply without a score declines to give one; shorter phrases count than in an answer.

    Args:
        text: result of ``readable``.

    Examples:
        >>> declines_to_score("I cannot say."), declines_to_score("Score: N/A"), declines_to_score("hm")
        (True, True, False)
    """
    opening = text.strip()[:_OPENING]
    looser = (_REFUSAL, _AGAINST_RULES, _NO_SCORE)
    return declines_to_answer(opening) or any(pattern.search(opening) for pattern in looser)
