"""Formulas and code: operators, operands and their order."""

import pytest

from semscale.guards.registry import Guards


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("return x+1", "return x-1", "opposed"),
        ("if a > b: swap()", "if a < b: swap()", "reversed-order"),
        ("if (a == b) return;", "if (a != b) return;", "opposed"),
        ("The loop runs while i <= n.", "The loop runs while i < n.", "opposed"),
        ("if (u && v) go();", "if (u || v) go();", "opposed"),
        ("if is_old and is_new: save()", "if is_old or is_new: save()", "opposed"),
        ("return !ready", "return ready", "opposed"),
        ("It returns (a + b) * c.", "It returns a + b * c.", "reversed-order"),
        ("Call divide(a, b).", "Call divide(b, a).", "reversed-order"),
        ("f(g(x))", "g(f(x))", "reversed-order"),
        ("sin(x) is used.", "cos(x) is used.", "opposed"),
        ("Read arr[i] first.", "Read arr[j] first.", "opposed"),
        ("rows[a:b]", "rows[b:a]", "reversed-order"),
        ("echo hi > out.log", "echo hi >> out.log", "opposed"),
        ("count++", "count--", "opposed"),
        ("x ∈ A holds.", "x ∉ A holds.", "opposed"),
        ("The result is y = -x.", "The result is y = x.", "opposed"),
    ],
)
def test_another_operator_operand_or_order_is_reported(first, second, kind):
    (finding,) = (finding for finding in Guards().check(first, second) if finding.guard == "opposite")
    (turned,) = (finding for finding in Guards().check(second, first) if finding.guard == "opposite")
    assert finding.kind == turned.kind == kind
    assert (finding.prediction, finding.reference) == (turned.reference, turned.prediction)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("return x+1", "return 1 + x"),
        ("if a > b: swap()", "if b < a: swap()"),
        ("a <= b", "a ≤ b"),
        ("if (a && !b) go();", "if (a and not b) go();"),
        ("x ** 2", "x^2"),
        ("The area is r².", "The area is r^2."),
        ("total += price", "total = total + price"),
        ("Call copy( source , target ).", "Call copy(source,target)."),
        ("Use `items[0]`.", "Use items[0]."),
    ],
)
def test_same_formula_in_two_spellings_has_no_finding(first, second):
    assert Guards().check(first, second) == Guards().check(second, first) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Go to File > Save as.", "Save it as a file: File > Save as."),
        ("Read/write access is needed.", "Access to read/write is needed."),
        ("A well-known actor - a star - spoke.", "A star - a well-known actor - spoke."),
        ("Salt & pepper, please.", "Pepper & salt, please."),
        ("<p>Hello <b>world</b></p>", "<div>Hello <i>world</i></div>"),
        ("Open the file(s) now.", "Now open the document(s)."),
        ("Paris[1] is the capital.", "The capital is Paris[1]."),
        ("C++ and C# are used.", "C# and C++ are used."),
        ("Ann and Bob may come.", "Bob and Ann may come."),
    ],
)
def test_marks_of_prose_are_no_operators(first, second):
    assert not [finding for finding in Guards().check(first, second) if finding.guard == "opposite"]


@pytest.mark.parametrize(
    "text",
    [
        "A good seller a" + "+" * 200, "x1" + "+=x2" * 200, "!" * 1500 + "x1", "~" * 1500 + "x1",
        "<".join(f"x{n}" for n in range(990)), "^".join("x" * 990), "f" + "()" * 990,
    ],
)  # fmt: skip
def test_rows_of_operators_end_no_run(text):
    assert isinstance(Guards().check(text + " ", f"{text[:-1]}q1 is"), list)
