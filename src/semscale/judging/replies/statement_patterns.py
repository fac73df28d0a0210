"""Patterns of words that state a score, take it back, or cast doubt on it."""

import re


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


KEY = _pattern(r"""
    (?<![\w-]) ["']? (?P<key> scores? | scoring | ratings? | verdict | grade | judge?ment | level ) ["'>]?
      [ \t]*
    (?P<range> [(\[] [^)\]\n]{1,24} [)\]] )? [ \t]*
    (?P<sep> :+ | =+>? | [-–—]*> | \| | of\b | is\b | would[ \t]+be\b | [-–—](?=[ \t]) | (?=[ \t]*["']?\d) )
    [ \t]* :? [ \t]* \n? [ \t]*
    (?P<article> an?[ \t]+ )?
""")
"""A score word up to what it says: ``Final score (1-5):``."""

GIVE = _pattern(r"""
    \b (?: I(?:'d|[ ]would|[ ]will|'ll|[ ]shall)? | we | and | therefore | thus | hence | so ) [ \t]+
    (?: give | rate | score | grade | assign | award | rated | gave | assigned | choose | select | pick )
      [ \t]+
    (?: (?:it|this|that|the) [ \t]+ )? (?: (?:proposed|given|candidate|submitted) [ \t]+ )?
    (?: (?:answer|response|reply) [ \t]+ )?
    (?: (?:as|at|with|an?) [ \t]+ ){0,2} (?: (?:solid|strong|clear) [ \t]+ )?
""")
EARN = _pattern(r"""
    \b (?:it|answer|response|reply) [ \t]+
    (?: deserves | gets | receives | earns | merits | warrants | scores | is[ \t]+rated ) [ \t]+ (?:
      an?[ \t]+ )?
""")
CHANGE = _pattern(r"""
    \b (?:chang|revis|lower|rais|adjust|correct|updat|reduc) \w* [ \t]+
    (?: it | this | (?:the|my|this|that)[ \t]+\w+ ) [ \t]+ (?: (?:down|up)[ \t]+ )? to [ \t]+ (?: an?[ \t]+ )?
""")
SECOND_THOUGHT = _pattern(r"""
    (?: \A | (?<=[.!?\n]) ) [ \t]*
    (?: actually | correction | wait | hmm+ | sorry | no | on[ \t]+second[ \t]+thought | on[ \t]+reflection
      | rather | edit | updated? | revised | final
      | or ) \b [,:.\ -]*
    (?: (?:it|this|that) (?: 's | [ \t]+is | [ \t]+should[ \t]+be )? [ \t]+ )?
    (?: make[ \t]+(?:it|that)[ \t]+ )? (?: an?[ \t]+ )?
""")
ANSWER_IS = _pattern(r"""
    (?: \A | (?<=[.!?\n]) ) [ \t]*
    (?: (?: so | therefore | thus | overall | hence | in[ \t]+short ) [,:]? [ \t]+ )?
    (?: (?:the|this|that) [ \t]+ (?: \w+(?:'s)? [ \t]+ )? (?:answer|response|reply) | it | this ) [ \t]+ is
      [ \t]+
""")
WITHDRAWN = _pattern(r"""
    \b (?: on[ \t]+second[ \t]+thought | on[ \t]+reflection | scratch[ \t]+that | just[ \t]+kidding
      | take[ \t]+(?:that|it)[ \t]+back | never[ \t]*mind | make[ \t]+that | disregard[ \t]+(?:that|this) ) \b
    | (?: \A | (?<=[.!?\n]) ) [ \t]* wait \b
""")
"""What takes a score back, wherever it stands after it."""

NOT_MEANT = _pattern(r"""
    (?: \b (?: example | format | for[ \t]+instance | such[ \t]+as | template ) | \b e\.?g\.? ) \W* \Z
    | \b (?: if | unless ) \b [^.!?\n]* \Z
""")
"""Words before a score that make it an example, or hold it under a condition."""

OF_ANOTHER = _pattern(r"""
    \b (?: reference | perfect | ideal | expected | better | another ) [ \t]+
      (?: (?:answer|response|reply) \b [ \t]* )?
    (?: (?: would | should | could | will ) [ \t]+ )?
    (?: (?:get|earn|deserve|receive|have)s? [ \t]+ an? [ \t]* )?
      \Z
""")
"""Words before a score that make it the score of another answer."""

SCALE = _pattern(r"""
    (\d+) [ \t]* (?:-|–|to) [ \t]* (\d+) (?: [ \t]*-?[ \t]*point )? [ \t]+ scale
    | scale [ \t:]+ (?: (?:of|from) [ \t]+ )? (\d+) [ \t]* (?:-|–|to) [ \t]* (\d+)
""")
OTHER_TOP = _pattern(r"""
    [ \t]* [,(\[–—-]* [ \t]* (?: out[ \t]+of | of | max(?:imum)?\b ) [ \t:]* (\d+)
    | [ \t]* [(\[] [ \t]* (\d+) [ \t]* [)\]]
""")
"""A highest score that is named right after a level: ``4 (out of 10)``, ``4 (10)``."""

FOR_ALL = frozenset({"final", "overall", "total"})
"""Words before a score word that make it the score of everything."""

PLAIN = frozenset(
    """
    my the this that a an its your and so therefore thus hence is would as with judge judge's judges
      assigned given
    resulting correctness answer proposed new numeric numerical likert deserves gets give gives giving
      assign award
    awards earns merits choose choosing select rate at to it receives warrants be i'd i json output
    """.split()  # noqa: SIM905 - a list of words, read as one
)
"""Words before a score word that leave it the score that was asked for."""

GIVING = _pattern(r"""
    \b (?: giv | assign | award | deserv | earn | merit | warrant | choos | select | rate | get | receiv
    | with
    | final | overall ) \w* \b
""")
NEGATED = _pattern(r"\b (?: not | never | no | cannot | without | neither | hardly ) \b | n't\b")
SUPPOSED = _pattern(
    r"\b (?: if | when | whether | unless | had | example | e\.g | were | might | could | may | why ) \b"
)
DOUBT = _pattern(r"""
    [ \t]* (?: [\d~<>≈≥≤±-] | (?: not | never | between | about | around | approximately | roughly |
      at[ \t]+least
    | at[ \t]+most | under | over | above | below | near | nearly | almost | either | maybe | perhaps |
      possibly
    | probably | likely | somewhere | unclear | unknown | none | null | n/?a | tbd | undetermined |
      indeterminate ) \b)
""")
CLEAN_END = _pattern(r"""(?: </\w+> )? [ \t|}\],"']* (?: [.!;][ \t]* )? (?= \n | \Z )""")
SEPARATED = _pattern(r"""
    [ \t]* (?: [.!;:][ \t]+ | [-–—]+>?[ \t]+ | ,[ \t]*(?=["']\w+["'][ \t]*:) | ,[ \t]+ | [|][ \t]*
    | ,?[ \t]*\n?(?=(?:because|since|as|due|given)\b) | (?=\() )
""")
"""What may stand between a level and words about it."""

TURN = _pattern(r"""
    [ \t]* (?: [+-]?\d | (?: but | or | although | though | except | however | maybe | perhaps | possibly |
      to | if
    | unless | yet | rather | almost | nearly | not | and | at[ \t]+(?:least|most|best) ) \b )
""")
"""What, right after that, takes the level back or offers another."""

ALTERNATIVE = _pattern(r"""
    \b (?: or | maybe | perhaps | possibly | even | almost | nearly | leaning | towards? | closer ) \b
      [^\w\n]+
    (?: (?: a | an | to | even | perhaps | maybe ) [ \t]+ ){0,2}
""")
