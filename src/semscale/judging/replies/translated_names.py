"""Knows what correct, incorrect and uncertain are called in some other languages."""

_WORDS = {
    "correct": "richtig, korrekt, wahr, exact, exacte, vrai, correcto, correcta, verdadero, corretto, vero, "
    "giusto, correto, certo, verdadeiro, juist, waar, riktig, poprawna, prawda, doğru, верно, правильно, "
    "正确, 正解, 正しい, 맞음, 정답, صحيح, सही",
    "incorrect": "falsch, inkorrekt, unwahr, incorrecte, faux, fausse, incorrecto, incorrecta, falso, "
    "incorretto, sbagliato, incorreto, errado, onjuist, fout, fel, niepoprawna, fałsz, yanlış, неверно, "
    "неправильно, 错误, 不正确, 不正解, 誤り, 틀림, 오답, خطأ, गलत",
    "uncertain": "unsicher, ungewiss, incertain, incertaine, incierto, inseguro, incerto, onzeker, osäker, "
    "niepewne, belirsiz, неясно, неопределённо, 不确定, 不明, 불확실",
}


def translated(names: dict[str, float]) -> dict[str, float]:
    """Scores of the words by which other languages call some levels.

    Args:
        names: scores of the levels by their English names in small letters.

    Example:
        >>> translated({"correct": 1.0})["richtig"]
        1.0
    """
    return {
        word: names[name] for name, words in _WORDS.items() if name in names for word in words.split(", ")
    }
