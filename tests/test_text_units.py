"""Text units: sentences and clauses, with expectations written by hand in ten languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.text_units import has_punctuation, sentences_in


def sentences(answer):
    return [sentence.text(answer) for sentence in sentences_in(answer)]


def clauses(answer):
    return [clause.text(answer) for sentence in sentences_in(answer) for clause in sentence.clauses]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The staff was nice. The food was cold!", ["The staff was nice.", "The food was cold!"]),
        ("Dr. Wu asked for 3.50, i.e. too much. Why?", ["Dr. Wu asked for 3.50, i.e. too much.", "Why?"]),
        ("J. Smith paid, e.g. U.S. dollars.", ["J. Smith paid, e.g. U.S. dollars."]),
        ("I did it for them and I. They left.", ["I did it for them and I.", "They left."]),
        ("Slow.The app crashes.", ["Slow.", "The app crashes."]),
        ("See www.example.com or v2.0.", ["See www.example.com or v2.0."]),
        ("It works... mostly", ["It works...", "mostly"]),
        ("It works… mostly", ["It works…", "mostly"]),
        ("Really?! (Yes.) Good", ["Really?!", "(Yes.)", "Good"]),
        ("good food\nbad service", ["good food", "bad service"]),
        ("- good food\n• bad service\n* loud", ["good food", "bad service", "loud"]),
        ("1. good food\n2) bad service", ["good food", "bad service"]),
        ("love it 😀👍🏽 but the battery dies", ["love it 😀👍🏽", "but the battery dies"]),
        ("staff nice food cold", ["staff nice food cold"]),
        ("z.B. war Hr. Dr. Lang nett. Und das Essen?", ["z.B. war Hr. Dr. Lang nett.", "Und das Essen?"]),
        ("Am 3. und 4. war es kalt. Sonst gut.", ["Am 3. und 4. war es kalt.", "Sonst gut."]),
        ("M. Roux était aimable. C'est cher !", ["M. Roux était aimable.", "C'est cher !"]),
        ("¿Volveré? ¡Claro que sí! Sra. Gil", ["¿Volveré?", "¡Claro que sí!", "Sra. Gil"]),
        ("Il cibo, ecc. era buono. Caro.", ["Il cibo, ecc. era buono.", "Caro."]),
        ("Het eten, bijv. soep, was goed. Duur!", ["Het eten, bijv. soep, was goed.", "Duur!"]),
        ("Jedzenie, np. zupa, dobre. Drogo.", ["Jedzenie, np. zupa, dobre.", "Drogo."]),
        ("A comida, p.ex. sopa, boa. Caro.", ["A comida, p.ex. sopa, boa.", "Caro."]),
        ("食物很好。服务太慢！价格高", ["食物很好。", "服务太慢！", "价格高"]),
        ("料理は美味しい。値段が高い？", ["料理は美味しい。", "値段が高い？"]),
        ("खाना अच्छा है। सेवा धीमी है।", ["खाना अच्छा है।", "सेवा धीमी है।"]),
        ("هل سأعود؟ لا أعتقد", ["هل سأعود؟", "لا أعتقد"]),
    ],
)
def test_sentences_of_an_answer(answer, expected):
    assert sentences(answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("great food, bad service", ["great food", "bad service"]),
        ("nice, friendly staff", ["nice, friendly staff"]),
        ("the food was great but the staff was rude", ["the food was great", "but the staff was rude"]),
        ("cheap (for the city) and near the station", ["cheap (for the city)", "and near the station"]),
        ("it was a great idea", ["it was a great idea"]),
        (
            "Das Essen war gut, aber der Wirt langsam",
            ["Das Essen war gut", "aber der Wirt langsam"],
        ),
        ("Le lit est dur mais la vue est belle", ["Le lit est dur", "mais la vue est belle"]),
        ("La comida era rica y el camarero amable", ["La comida era rica", "y el camarero amable"]),
        ("O quarto era limpo e o preço baixo", ["O quarto era limpo", "e o preço baixo"]),
        ("Il cibo era buono ma il servizio lento", ["Il cibo era buono", "ma il servizio lento"]),
        ("Het eten was goed maar de wijn duur", ["Het eten was goed", "maar de wijn duur"]),
        ("Jedzenie dobre, ale obsługa powolna", ["Jedzenie dobre", "ale obsługa powolna"]),
        ("食物很好，但是服务太慢", ["食物很好", "但是服务太慢"]),
        ("料理は美味しいが、店員は無愛想", ["料理は美味しいが", "店員は無愛想"]),
        ("खाना अच्छा था लेकिन सेवा धीमी थी", ["खाना अच्छा था", "लेकिन सेवा धीमी थी"]),
        ("الطعام لذيذ، لكن الخدمة بطيئة", ["الطعام لذيذ", "لكن الخدمة بطيئة"]),
    ],
)
def test_clauses_of_a_sentence(answer, expected):
    assert clauses(answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The bed, however, was heavenly", ["The bed, however, was heavenly"]),
        ("The old bed however was heavenly", ["The old bed however was heavenly"]),
        ("My room, on the other hand, was tiny", ["My room, on the other hand, was tiny"]),
        ("The view was great, of course.", ["The view was great, of course."]),
        ("On the other hand, the staff was rude", ["On the other hand, the staff was rude"]),
        (
            "The food was great, however, the staff was rude",
            ["The food was great", "however, the staff was rude"],
        ),
        ("Das alte Bett jedoch war himmlisch", ["Das alte Bett jedoch war himmlisch"]),
        ("Das Essen war gut, jedoch war der Wirt lahm", ["Das Essen war gut", "jedoch war der Wirt lahm"]),
        ("Das Bett, ehrlich gesagt, war hart", ["Das Bett, ehrlich gesagt, war hart"]),
        ("Le lit, bien sûr, était dur", ["Le lit, bien sûr, était dur"]),
        ("La cama, sin embargo, era dura", ["La cama, sin embargo, era dura"]),
        ("Il letto, tuttavia, era duro", ["Il letto, tuttavia, era duro"]),
        ("Het bed echter was hard", ["Het bed echter was hard"]),
        ("To łóżko jednak było twarde", ["To łóżko jednak było twarde"]),
        ("A cama, por outro lado, era dura", ["A cama, por outro lado, era dura"]),
        ("هذا السرير، مع ذلك، كان رائعا", ["هذا السرير، مع ذلك، كان رائعا"]),
        ("होटल का बिस्तर, हालाँकि, बहुत अच्छा था", ["होटल का बिस्तर, हालाँकि, बहुत अच्छा था"]),
        ("कमरा बड़ा था, हालाँकि, सेवा धीमी थी", ["कमरा बड़ा था", "हालाँकि, सेवा धीमी थी"]),
        ("Il cibo era buono, però il vino era caro", ["Il cibo era buono", "però il vino era caro"]),
        ("O quarto era limpo, porém o preço era alto", ["O quarto era limpo", "porém o preço era alto"]),
    ],
)
def test_aside_splits_no_clause(answer, expected):
    assert clauses(answer) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [("staff nice food cold", False), ("staff nice, food cold", True), ("太慢。", True)],
)
def test_punctuation_of_a_sentence(sentence, expected):
    assert has_punctuation(sentence) == expected


def test_answer_without_a_word_is_one_unit():
    assert clauses("?!") == ["?!"]
    assert clauses("") == [""]


@given(st.text(alphabet="ab 1.,!?\n-()。，😀'A", max_size=40))
def test_units_are_parts_of_the_answer_in_order(answer):
    end = 0
    for sentence in sentences_in(answer):
        assert end <= sentence.start <= sentence.end <= len(answer)
        start = sentence.start
        for clause in sentence.clauses:
            assert start <= clause.start <= clause.end <= sentence.end
            start = clause.end
        end = sentence.end


@given(st.text(alphabet="AB .,!?\n()。，😀'", max_size=40))
def test_every_word_is_in_a_clause(answer):
    letters = [letter for letter in answer if letter.isalnum()]
    assert [letter for letter in "".join(clauses(answer)) if letter.isalnum()] == letters
