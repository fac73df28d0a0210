"""Columns of a file that are rated, or used beside the ratings."""

from dataclasses import dataclass

from semscale.errors import InputError
from semscale.rating.human import check_human_range


@dataclass(frozen=True)
class FileColumns:
    """Names of a file's columns of texts, groups, weights, respondents and human ratings.

    Attributes:
        text: the texts to rate.
        by: names of groups.
        further_by: other columns of names of groups, which are compared by themselves.
        weight: weights, finite and not negative.
        respondent: who wrote each text; one person's texts count as a cluster.
        human: human ratings, a number or a list of numbers for each text.
        inclusion: probability with which each text was drawn for a human rating, above 0 to 1.
        human_range: lowest and highest value that humans could give; the scale's own unless given.

    Raises:
        InputError: a range that is not two finite numbers, the lower first, or ``inclusion`` without
            ``human``, or a column that is to be both text and group, or is named twice for groups.
    """

    text: str
    by: str | None = None
    weight: str | None = None
    respondent: str | None = None
    human: str | None = None
    inclusion: str | None = None
    human_range: tuple[float, float] | None = None
    further_by: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_human_range(self.human_range)
        if self.inclusion is not None and self.human is None:
            raise InputError("inclusion belongs to a column of human ratings: name that as well")
        if self.text in self.all_by:
            raise InputError(f"by: column '{self.text}' is the text that is rated; name one with groups")
        for column in self.further_by:
            if self.all_by.count(column) > 1:
                raise InputError(f"by: column '{column}' is named twice; name it once")

    @property
    def all_by(self) -> tuple[str, ...]:
        """All columns of names of groups."""
        return (*([] if self.by is None else [self.by]), *self.further_by)

    def named(self) -> dict[str, str]:
        """The columns that were named, by their purpose."""
        names = ("text", "by", "weight", "respondent", "human", "inclusion")
        roles = {name: getattr(self, name) for name in names}
        return {role: column for role, column in roles.items() if column is not None}
