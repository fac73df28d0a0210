"""The contexts of a number or a level name, as patterns over the classes of the words around it.

Patterns that end in ``$`` are held against what stands before it in its sentence, those that begin with
``^`` against what stands after it.
"""

from semscale.judging.replies.grammar.class_patterns import class_pattern

WHY = "(because | for)"
OF = "(prose | of)"
CHANGE = "(amend | edit | pause)"
SCORE = "(score_word | weak_key)"
WILL = "(will | would)"
GIVE = "(give | rate)"
ADORNED = "(a | the | adverb | plain | open | dash | judge)* (a (word | plain | adverb){1,2})?"
ASIDE_WORDS = "(word | the | a | of | for | and | plain | numbered | number | level | this | to | adverb)"
SUBJECT = (
    f"(this | (a | the | this | judge | {OF} | adverb)? (plain | given)* answer) "
    f"(comma ((?! comma) any){{1,8}} comma | (because | for | of | to | adverb) {ASIDE_WORDS}{{1,8}})?"
)
OBJECT = (
    f"(this answer? | (the | this | judge | a | {WHY} | {OF} | to | plain) (word | plain | be){{0,2}} answer)"
)
APT = class_pattern(
    "^ be (if | this | word | the | a){1,3} (answer earn | judge (will | adverb)* (give | word)) | "
    f"^ (close)? ({SCORE} | answer)? ({WILL} be | be | seems | {WILL} word) (adverb | a | the | judge "
    "| plain)* word? (apt | outcome | score_word | weak_key) | ^ (close)? (be | seems | would be) (adverb)* "
    "(plain | filler) (stop | comma | to judge | adverb | $)"
)
FOR_PART = class_pattern(
    "^ (close)? for (a | the | judge)? (word | numbered) (stop | comma | and | line | $)"
)
START = (
    f"(^ | this | comma | colon | dash | so | and | but | {WHY} | open | close | adverb | final | stop "
    f"| bar | outcome | (judge {WILL}* adverb? ({GIVE} | say | settle)))"
)
ABOUT = f"(({WHY} | {OF} | to) (the | this | judge | a | plain)* (word | plain)? (answer | this))?"
NOTE_KEY = class_pattern(f"^ note colon+ {ADORNED} $")
KEY = class_pattern(
    f"{SCORE} final? (because ((?! level | number | score_word | colon) any){{0,5}} (?= colon))? (open "
    f"any{{1,7}} (close | level | number))? {ABOUT} (adverb | {WHY} (this | judge | the | a)* (answer "
    f"| this)?)? "
    f"((this | judge (?! not)) (word | be | plain | judge | have | will){{1,4}})? "
    f"(colon | bar | be | earn | settle | "
    f"{WILL} be | ought | to | so | adverb | line | comma be)* {ADORNED} $"
)
KEY_FAR = class_pattern(
    f"(judge (plain | adverb | final)* ({SCORE} | outcome) | "
    f"({SCORE} | outcome) (this | of | because)+ judge) "
    f"((?! not | if | maybe | level) any){{0,12}} (be | earn | colon) {ADORNED} $"
)
GIVES = (
    f"(judge (be | have)? | {SUBJECT} ({WILL} | adverb | ought | to | have)* be | ought | to | and | so "
    f"| comma | but | {WHY} | ^)"
)
GIVEN = class_pattern(
    f"{GIVES} ({WILL} | adverb | so | to | and)* ({GIVE} | settle | {SCORE}) {OBJECT}? (adverb | "
    f"{WHY} | to | {WILL} | be | colon)* {ADORNED} ({SCORE} ({OF} | colon | adverb | be)*)? {ADORNED} "
    "$"
)
EARNED = class_pattern(
    f"({SUBJECT} | ^ | and | so | comma | but | colon) ({WILL} | adverb | so | but)* "
    f"earn (adverb | to | {WHY} | this | judge)* {ADORNED} ({SCORE} ({OF} | comma | "
    f"colon)*)? {ADORNED} $"
)
THATS = class_pattern(
    f"({START} | judge be (number | adverb)* confidence) (so | adverb | final | and | comma "
    f"| {WHY})* {SUBJECT} (adverb | so)* (be | seems) "
    f"(adverb | so | {WHY})* {ADORNED} a (plain | adverb | word){{0,2}} ({SCORE} {OF}?)? $"
)
IT_IS = class_pattern(
    f"{START} (so | adverb | final | and | comma | judge)* this (adverb | so)* be (adverb | so)* $"
)
IT_IS_ENDS = class_pattern(
    "^ (close | unit)* (adverb (stop | line | $) | $ | stop | line | (comma | colon | dash)? because | colon)"
)
COMPARED = class_pattern("(comparing | bound) any* (colon | comma so | comma) a? $")
MAKES = class_pattern(
    f"so (this | judge | {WHY})? (to | adverb)* (a | adverb | plain)* ({SCORE} ({OF} | colon)*)? {ADORNED} $"
)
CONCLUDED = class_pattern(f"(^ | dash | comma | and) (and | adverb)* so (colon | comma)? {ADORNED} $")
OVERALL = class_pattern(
    "(^ | level | comma | and | so | dash | bar | open | colon | stop | but) (the | adverb | judge | so | "
    f"and)* final ({SCORE} | outcome)? (colon | bar | dash | comma | be | so | adverb | to)* ((judge "
    f"{WILL}* adverb? (say | {GIVE})) ({WHY} | this)*)? {ADORNED} $"
)
OUTCOME = class_pattern(
    "(^ | comma | so | and | open) (the | judge | so | adverb)* (outcome | corrected) "
    f"(close | colon | dash | bar)+ {ADORNED} $ | "
    f"^ (the | judge)* give (word | numbered | scale | answer) colon+ {ADORNED} $"
)
REMARK = class_pattern(
    f"{START} (so | adverb | final | and | comma)* {SUBJECT} ({WILL} | adverb | so)* be (adverb | so "
    f"| and | to | {WHY} | comma adverb+ comma)* {ADORNED} $"
)
OPENING_REMARK = class_pattern(
    f"^ (so | adverb | final | comma | colon | outcome | judge {WILL}* (say | {GIVE}))* {SUBJECT} "
    f"(adverb | so)* be (adverb | so)* {ADORNED} $"
)
REPLACED = class_pattern(
    f"({CHANGE} | withdraw | pause | corrected) (comma | colon | dash | this | be | a | adverb | so | "
    f"{OF} | to | {SCORE} | the | judge | but | {WHY} | {CHANGE} | withdraw | pause | ought | open | close | "
    f"answer | plain | {GIVE} | {WILL} | final)* $"
)
DENIED_THEN = class_pattern(
    f"(^ adverb* | (level | question) (comma | dash | open)*) but? deny "
    f"(comma | dash | colon | {CHANGE} | withdraw | this | be | so | but)+ {ADORNED} $"
)
NOT_BUT = class_pattern(
    f"(not | deny) any{{0,6}} level ((?! level | not) any){{0,6}} (but | {CHANGE} | better | dash | comma) "
    f"({CHANGE} | adverb | so | better | final)* {ADORNED} $"
)
IS_BETTER = class_pattern(
    f"^ (close)? ((be | {WILL} be | word) adverb? better | better | this be (stop | comma | so | $))"
)
COUNTED = class_pattern(
    "^ of (the | level | number | a | word | this | judge | answer | if) | ^ "
    "(a | plain | adverb)? (word | cosmetic | numbered | answer | reason | say | confidence | scale | inject "
    "| other | level | draft | filler | earn)"
)
DASH_COUNT = class_pattern("^ dash number (word | numbered | of)")
DEDUCT = class_pattern(
    f"deduct (a | the | adverb | number | level | word | colon | open | {OF} | unit | {WHY} | this | "
    f"to | {SCORE} | other){{0,4}} $"
)
DEDUCTED_LATER = class_pattern(f"^ unit? close? (be | adverb)* ({WILL} | ought) (be | adverb)* deducted")
OTHER = class_pattern(f"other (?! any* this ({WILL} | adverb)* (earn | be)) any* $")
FOR_OTHER = class_pattern(
    "^ (and | but | so)* (for | to) (the | a | judge)? other ((?! this | answer) any)* $"
)
SAID = class_pattern("(say | inject | refuse) any* $")
OWN_WORDS = class_pattern(f"judge ({WILL} | adverb | have | to)* say")
NOT_ABOVE = class_pattern("not ((?! level) any){0,4} bound (a | the)* $")
PER = class_pattern("per ((?! comma final) any){0,20} $")
NOT = class_pattern(
    "((not | withdraw to | faulted (to | earn | a | give | this)) ((?! colon) any){0,7} | "
    "deny (plain | a)*) $"
)
IF = class_pattern("(if | unreal | example) any* $")
IF_FIRST = class_pattern("^ (but | adverb | so | and | comma)* (if | to | will rate)")
IF_AFTER = class_pattern(
    f"^ (close)? (answer | {SCORE} | unit)? (comma)? (if | unreal | {WILL} (word | not | have | if | "
    f"be | {GIVE} | deduct) | be ({WHY} | not | maximum | if) | {CHANGE} if)"
)
UNREAL_AFTER = class_pattern("^ any* unreal")
RESET = class_pattern(
    "(?: (word | filler | level | plain | numbered | adverb | other) "
    f"(?= judge ({WILL} | adverb)* ({GIVE} | settle | {CHANGE} | be)) | "
    f"(comma | but | so | dash | {WHY} | colon (?! {SCORE}) | close | and)) "
    f"((judge | corrected | adverb)* {SCORE} | "
    f"judge ({WILL} | adverb | not)* ({GIVE} | settle | say) | this answer? (adverb | not)* be | "
    f"(the | judge | a)? answer (adverb | not)* (be | ought) | this answer? {WILL}? earn | (the | "
    f"this) answer {WILL}? earn | (the | and | judge | adverb | so)* (final | outcome) | so | judge | "
    "but (a | plain)* $ )"
)
BOUND = class_pattern(
    f"(bound | maybe | between | compare | or | slash | might) ({CHANGE} | {WILL} | a | the | adverb | "
    f"be | plain | open | to | {WHY} | judge {GIVE}){{0,4}} $"
)
DOUBT_AFTER = class_pattern(
    "^ open (maximum | bound | question) | "
    "^ open ((?! close | draft | other | confidence) any){0,8} colon level (close | stop | line | $) | "
    "^ (close)? (question | plus | compare | or | maybe | bound | slash "
    "| percent | but | if | might "
    "| partly | scale | (dash | and | to | bar) (a | the)? (level | number) | comma (level "
    "| number) (?! word) "
    "| open (a | the)? (level | number) (close | stop | comma | or | unit (close | stop | comma | "
    "line | $) | $) | dash (dash | line | stop | $) | (comma | open | dash) (or | maybe | if | bound) "
    "(a | the | level | number | adverb | be | to | and | open | word | might | this ) | "
    "(comma | open | dash) (bound | maybe) (comma | close | stop | line | $) | "
    "(comma | open | dash) if judge | (comma | dash) (but) | number | level)"
)
CLEAN_AFTER = class_pattern(
    "^ (close | unit)* bar | "
    "^ (close | bar | unit | maximum unit)* ($ | stop | line | comma | colon | dash | open | "
    f"{WHY} | and | adverb | so | this | the | judge | final | reason | withdraw | {CHANGE} | "
    f"to | {OF} | question | relative | seems (?! faulted | maybe | bound) | not (a | the)? level)"
)
A_LEVEL = class_pattern("(a | judge) (plain | adverb)* $")
ENDS = class_pattern(
    f"^ (close)* ($ | stop | line | comma | colon | {WHY} | and | but | or | dash | if | question | "
    f"might | be | seems | {WILL})"
)
AFTER_LEVEL = class_pattern(
    f"level (comma | open | dash | close)* (bound | maybe | or | might) (a | the | adverb | be | to | "
    f"maybe | bound | {CHANGE})* $"
)
MINE = class_pattern("^ (this answer | unit) (colon | bar | dash) (a | the | open)* $")
WOULD_BE = class_pattern(f"(this | answer | word) ({WILL} | might) be (a | adverb | plain)* $")
SCALE_AFTER = class_pattern(
    "^ (colon | be | close)+ (a | the)? (maximum | plain) (close | comma | stop | line | dash | bar | $)"
)
CHANGED = class_pattern("^ (this | score_word)? ought a? $")
PARALLEL = class_pattern("level for any{1,3} (comma | and)+ $")
ASIDE = class_pattern("(word | comma | but | and | say) any* $")
BARE_A = class_pattern(
    f"^ (better | {CHANGE} | but | comma | final | adverb | so | and | colon | dash)* "
    "(a (plain | adverb)* | plain) $"
)
BARE_A_ENDS = class_pattern(f"^ (close)* ($ | stop | line | comma {WHY} | {WHY} | comma | dash | colon)")
MINUS = class_pattern("dash (open | a)* $")
NAME_ENDS = class_pattern(
    f"^ (close | bar)* ($ | stop | line | comma {WHY} | comma and | colon word | colon the | colon "
    f"this | dash | open | {WHY} | bar)"
)
SPELLED_ENDS = class_pattern("^ (close)? (stop | dash | open | colon | comma because | because)")
PROSE_AFTER = class_pattern(
    f"^ (close)? ({OF} | this | to | word | answer | {SCORE} | numbered | say | {GIVE} | earn | inject "
    "| confidence | scale | deduct | unit | maximum)"
)
PART_BEFORE = class_pattern(
    "(^ | comma | and | but) (for | prose) (the | a | judge)? (word | numbered | plain)+ (comma)? $"
)
EDIT_NUMBER = class_pattern("^ (edit | amend) $")
FITTING = class_pattern("(^ | a | so | comma | this) (adverb | plain | so | a)* (score_word of)? $")
