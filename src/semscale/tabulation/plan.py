"""What is to be tabulated, and how."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from semscale.errors import InputError
from semscale.tabulation.sample import SampleColumns
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
        scales: for each question, the name or file of the scale that names its points.
        numeric: questions that are numbers, whatever they look like.
        pairs: two questions each that the same people answered; the second is taken off the first.

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

    @property
    def asked(self) -> tuple[str, ...]:
        """Names of all questions that are read, each once."""
        paired = (name for pair in self.pairs for name in pair)
        return tuple(dict.fromkeys([*self.questions, *paired]))

    def _check_asked(self, parameter: str, listed: Collection[str]) -> None:
        unknown = [one for one in listed if one not in self.asked]
        if unknown:
            raise InputError(
                f"{parameter}: '{unknown[0]}' is none of the questions; name it as a question, too"
            )


def _check_once(parameter: str, listed: tuple[str, ...]) -> None:
    twice = [one for one in listed if listed.count(one) > 1]
    if twice:
        raise InputError(f"{parameter}: '{twice[0]}' is named twice")
