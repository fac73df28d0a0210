"""The default drift gate on German answers: unchanged models, changed numbers, deleted digits.

Run with ``python bench/drift_german.py``. Twelve questions with five numbers each give 60 items. Each run
chooses one of five wordings for an answer at random, and writes small numbers as words and thousands with or
without a point. One author wrote the sentences and rules, so the figures show that the gate works in German,
but not its error rates on outputs of a language model.
"""

import random
import re
from collections import Counter
from datetime import date

from measuring import Options, machine
from semscale.drift.comparison import DriftMeter, compare
from semscale.drift.decision import decide
from semscale.guards.number_guard import figure_findings
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.stats.intervals import wilson_interval

SMALL = "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"
WORDS = dict(enumerate(SMALL, 2))
AS_WORD, WITH_POINT = 0.3, 0.5
SETS = (
    ((2, 3, 4, 5, 6), """Nehmen Sie täglich {} Tabletten nach dem Essen ein.
        Täglich sind {} Tabletten nach einer Mahlzeit einzunehmen.
        Die Dosis beträgt {} Tabletten am Tag, immer nach dem Essen.
        Schlucken Sie nach dem Essen {} Tabletten am Tag.
        Pro Tag sollten es {} Tabletten sein, jeweils nach dem Essen."""),
    ((1200, 2500, 4800, 7300, 9100), """Die Anlage kostet im Jahr etwa {} Euro.
        Für die Anlage fallen jährlich rund {} Euro an.
        Jedes Jahr gibt man für die Anlage ungefähr {} Euro aus.
        Mit etwa {} Euro im Jahr muss man für die Anlage rechnen.
        Die jährlichen Kosten der Anlage liegen bei {} Euro."""),
    ((7, 8, 9, 10, 11), """Das Museum öffnet am Sonntag um {} Uhr.
        Am Sonntag macht das Museum um {} Uhr auf.
        Sonntags können Sie das Museum ab {} Uhr besuchen.
        Ab {} Uhr ist das Museum am Sonntag geöffnet.
        Die Türen des Museums gehen sonntags um {} Uhr auf."""),
    ((14, 21, 28, 45, 60), """Sie können den Vertrag innerhalb von {} Tagen widerrufen.
        Für den Widerruf des Vertrags haben Sie {} Tage Zeit.
        Die Frist für den Widerruf beträgt {} Tage.
        Ein Widerruf des Vertrags ist {} Tage lang möglich.
        Binnen {} Tagen dürfen Sie vom Vertrag zurücktreten."""),
    ((1815, 1848, 1871, 1918, 1949), """Der Vertrag wurde im Jahr {} in der Hauptstadt unterzeichnet.
        Im Jahr {} unterzeichnete man den Vertrag in der Hauptstadt.
        Unterschrieben wurde der Vertrag {} in der Hauptstadt.
        Man schloss den Vertrag {} in der Hauptstadt ab.
        In der Hauptstadt kam der Vertrag {} zustande."""),
    ((180, 190, 200, 210, 220), """Backen Sie den Kuchen bei {} Grad, bis er goldbraun ist.
        Der Kuchen wird bei {} Grad gebacken, bis er goldbraun ist.
        Bei {} Grad bleibt der Kuchen im Ofen, bis er goldbraun ist.
        Stellen Sie den Ofen auf {} Grad und backen Sie den Kuchen goldbraun.
        Goldbraun wird der Kuchen im Ofen bei {} Grad."""),
    ((3, 4, 6, 8, 12), """Die Garantie auf das Gerät gilt {} Monate ab dem Kauf.
        Auf das Gerät haben Sie nach dem Kauf {} Monate Garantie.
        Ab dem Kauf ist das Gerät {} Monate lang durch die Garantie geschützt.
        Für das Gerät gibt es vom Kauf an {} Monate Garantie.
        Die Dauer der Garantie für das Gerät beträgt {} Monate."""),
    (("1,5", "2,5", "3,2", "4,8", "7,5"), """Der Weg zum Bahnhof ist {} Kilometer lang.
        Bis zum Bahnhof sind es {} Kilometer.
        Zum Bahnhof müssen Sie {} Kilometer gehen.
        Der Bahnhof liegt {} Kilometer von hier.
        Von hier zum Bahnhof läuft man {} Kilometer."""),
    ((15, 20, 35, 40, 55), """Von den befragten Leuten stimmten {} Prozent dem Vorschlag zu.
        Dem Vorschlag stimmten {} Prozent der befragten Leute zu.
        Unter den befragten Leuten waren {} Prozent für den Vorschlag.
        Für den Vorschlag sprachen sich {} Prozent der Leute in der Umfrage aus.
        Die Umfrage ergab {} Prozent Zustimmung zu dem Vorschlag."""),
    ((5, 10, 30, 50, 70), """Lösen Sie {} Gramm Salz in warmem Wasser auf.
        In warmem Wasser werden {} Gramm Salz gelöst.
        Geben Sie {} Gramm Salz in warmes Wasser und rühren Sie.
        Man nimmt {} Gramm Salz und löst es in warmem Wasser.
        Rühren Sie {} Gramm Salz in warmes Wasser, bis es gelöst ist."""),
    ((25, 31, 47, 52, 66), """Die Bibliothek hat in der Woche {} Stunden geöffnet.
        Jede Woche ist die Bibliothek {} Stunden offen.
        Geöffnet ist die Bibliothek wöchentlich {} Stunden.
        Auf {} Stunden Öffnungszeit kommt die Bibliothek in der Woche.
        Die Bibliothek steht Ihnen pro Woche {} Stunden offen."""),
    ((11000, 26000, 43000, 58000, 85000), """In der kleinen Stadt am Fluss leben {} Menschen.
        Die kleine Stadt am Fluss zählt {} Einwohner.
        Am Fluss liegt die kleine Stadt mit {} Menschen.
        Etwa {} Menschen wohnen in der kleinen Stadt am Fluss.
        Die kleine Stadt am Fluss hat eine Bevölkerung von {} Menschen."""),
)  # fmt: skip
N_ITEMS, N_RERUNS = 30, 3
QUESTIONS = [
    (f"{place}-{number}", number, [one.strip() for one in wordings.splitlines()])
    for place, (numbers, wordings) in enumerate(SETS)
    for number in numbers
]


def written(number, chance):
    """Write a number in one of its forms: a small one as a word, a large one with a point."""
    if not isinstance(number, int):
        return number
    if number in WORDS and chance.random() < AS_WORD:
        return WORDS[number]
    is_grouped = number >= 10_000 or (number >= 1000 and not 1500 < number < 2000)  # years have no point
    return f"{number:,}".replace(",", ".") if is_grouped and chance.random() < WITH_POINT else str(number)


def changed(number):
    """Return another number of the same kind: 1.5 times the number, or 0.7 more for a decimal number."""
    if isinstance(number, int):
        return number + max(1, number // 2)
    return f"{float(number.replace(',', '.')) + 0.7:.1f}".replace(".", ",")


def answer(number, wordings, chance):
    return chance.choice(wordings).format(written(number, chance))


def run(model, questions, chance, *, with_others=(), without_digits=()):
    """Return one run: answers to the questions; some have another number, or their digits deleted."""
    items = []
    for name, number, wordings in questions:
        text = answer(changed(number) if name in with_others else number, wordings, chance)
        text = re.sub(r" ?\d[\d.,]*", "", text) if name in without_digits else text
        items.append(Item(name, (Output(text),)))
    return Run("German answers", model, tuple(items))


def print_pairs(n_pairs, seed):
    """Print how often different numbers are found in two wordings with different and with equal numbers."""
    chance, found = random.Random(seed), Counter()
    for _ in range(n_pairs):
        _, number, wordings = chance.choice(QUESTIONS)
        ours = answer(number, wordings, chance)
        for kind, other in (("same number", number), ("another number", changed(number))):
            theirs = answer(other, wordings, chance)
            found[kind] += bool(figure_findings(theirs, ours, languages=("de", "de")))
    print(f"\n| {n_pairs:,} pairs | found to differ |\n|---|---|")
    for kind in ("same number", "another number"):
        share = wilson_interval(found[kind], n_pairs)
        print(f"| {kind} | {share.value:.1%} ({share.low:.1%} to {share.high:.1%}) |")


def print_gates(draws, seed):
    meter = DriftMeter(cache=False)
    kinds = {
        "none: a rerun": {},
        "other numbers, a third": {"with_others": 10},
        "other numbers, two thirds": {"with_others": 20},
        "digits deleted, all": {"without_digits": N_ITEMS},
    }
    print("\n| change | failed | undecided | passed |\n|---|---|---|---|")
    for kind, change in kinds.items():
        counted = Counter()
        for draw in range(draws):
            chance = random.Random(f"{seed}/{draw}")
            questions = chance.sample(QUESTIONS, N_ITEMS)
            baseline, *reruns = (run("model-a", questions, chance) for _ in range(N_RERUNS + 1))
            names = {which: {one[0] for one in questions[:n]} for which, n in change.items()}
            candidate = run("model-b", questions, chance, **names)
            compared = compare(baseline, candidate, reruns=reruns, meter=meter)
            counted[str(decide(compared).outcome)] += 1
        cells = " | ".join(f"{100 * counted[name] / draws:.0f} %" for name in ("fail", "undecided", "pass"))
        print(f"| {kind} | {cells} |", flush=True)


def main():
    parser = Options(__doc__)
    parser.add_size("--draws", 100, quick=1, help="of 30 items, for each kind of change")
    parser.add_size("--pairs", 5000, quick=50, help="of two wordings")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(f"{date.today()}, {machine()}; German answers, {N_RERUNS} reruns")
    print_pairs(options.pairs, options.seed)
    print_gates(options.draws, options.seed)


if __name__ == "__main__":
    main()
