"""What is to be tabulated, and how."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from semscale.errors import InputError
from semscale.store.missing_codes import missing_keys
from semscale.tabulation.asked.missing_answers import EVERY_QUESTION
from semscale.tabulation.sample_columns import SampleColumns
from semscale.tabulation.tables.tabulating import TestSettings


@dataclass(frozen=True)
class TablePlan:
    """Questions, banners, and how respondents were drawn and cells are tested.

    Attributes:
        questions: names, as ``find_columns`` takes them.
        banners: columns of groups; none for tables of everybody alone.
        sample: columns that say how respondents were drawn and weighted.
        tests: how cells are tested.
        wave: column of waves, which becomes a banner of its own.
        wave_order: all waves from the first to the last; as ``order_waves`` reads them where it is empty.
        scales: for each question, the name or file of the scale that names its points; here and below, a
            question such as ``M=m1+m2`` may also be called by its name alone, ``M``.
        numeric: questions that are numbers, whatever they look like.
        pairs: two questions each that the same people answered; the second is taken off the first.
        missing: for each question, codes that are no answer; those of the name ``""`` are for all.

    Raises:
        InputError: no question, one or a banner named twice, or ``pair_by`` or ``wave_order`` without
            waves.
    """

    questions: tuple[str, ...]
    banners: tuple[str, ...]
    sample: SampleColumns = field(default_factory=SampleColumns)
    tests: TestSettings = field(default_factory=TestSettings)
    wave: str | None = None
    scales: Mapping[str, str] = field(default_factory=dict)
    numeric: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    wave_order: tuple[str, ...] = ()
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.questions and not self.pairs:
            raise InputError("question must name at least one question of the table")
        if self.wave is not None and self.wave in self.banners:
            raise InputError(f"wave: '{self.wave}' is a banner as well: waves have their own, leave it out")
        if self.sample.pair_by is not None and self.wave is None:
            raise InputError("pair_by belongs to wave: name the column of waves as well")
        for first, second in self.pairs:
            if first == second:
                raise InputError(f"pair: '{first}' is named twice in one pair; name two questions")
        if self.wave_order and self.wave is None:
            raise InputError("wave_order belongs to wave: name the column of waves as well")
        _check_once("question", self.questions)
        _check_once("banner", self.banners)
        self._check_asked("scales", self.scales)
        self._check_asked("numeric", self.numeric)
        self._check_asked("missing", [one for one in self.missing if one != EVERY_QUESTION])
        for codes in self.missing.values():
            missing_keys(codes)

    @property
    def asked(self) -> tuple[str, ...]:
        """Names of all questions that are read, each once."""
        paired = (name for pair in self.pairs for name in pair)
        return tuple(dict.fromkeys([*self.questions, *paired]))

    def by_name(self, names: Mapping[str, str]) -> "TablePlan":
        """Give the plan with the options of each question under its name.

        Args:
            names: of each question in ``asked``, as ``find_columns`` gives them.

        Raises:
            InputError: two questions have one name.

        Example:
            >>> plan = TablePlan(("M=m1+m2",), (), missing={"M=m1+m2": ("99",)})
            >>> dict(plan.by_name({"M=m1+m2": "M"}).missing)
            {'M': ('99',)}
        """
        seen: dict[str, str] = {}
        for asked, name in names.items():
            if name in seen:
                raise InputError(
                    f"question: '{seen[name]}' and '{asked}' have one name, '{name}': give each its own"
                )
            seen[name] = asked
        missing: dict[str, tuple[str, ...]] = {}
        for asked, codes in self.missing.items():
            name = names.get(asked, asked)
            missing[name] = (*missing.get(name, ()), *codes)
        return replace(
            self,
            scales={names.get(asked, asked): scale for asked, scale in self.scales.items()},
            numeric=tuple(names.get(asked, asked) for asked in self.numeric),
            missing=missing,
        )

    def _check_asked(self, parameter: str, listed: Collection[str]) -> None:
        named = {*self.asked, *(one.partition("=")[0].strip() for one in self.asked)}
        unknown = [one for one in listed if one not in named]
        if unknown:
            raise InputError(
                f"{parameter}: '{unknown[0]}' is none of the questions; name it as a question, too"
            )


def _check_once(parameter: str, listed: tuple[str, ...]) -> None:
    twice = [one for one in listed if listed.count(one) > 1]
    if twice:
        raise InputError(f"{parameter}: '{twice[0]}' is named twice")
