"""Columns of a file that are rated, or used beside the ratings."""

from dataclasses import dataclass

from semscale.errors import InputError
from semscale.rating.human.values import check_human_range


@dataclass(frozen=True)
class FileColumns:
    """Names of a file's columns of texts, groups, weights, respondents and human ratings.

    Attributes:
        text: the texts to rate.
        by: names of groups.
        weight: weights, finite and not negative.
        respondent: who wrote each text; one person's texts count as a cluster.
        human: human ratings, a number or a list of numbers for each text.
        inclusion: probability with which each text was drawn for a human rating, above 0 to 1.
        human_range: lowest and highest value that humans could give; the scale's own unless given.

    Raises:
        InputError: a range that is not two finite numbers, the lower first, or ``inclusion`` without
            ``human``.
    """

    text: str
    by: str | None = None
    weight: str | None = None
    respondent: str | None = None
    human: str | None = None
    inclusion: str | None = None
    human_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        check_human_range(self.human_range)
        if self.inclusion is not None and self.human is None:
            raise InputError("inclusion belongs to a column of human ratings: name that as well")

    def named(self) -> dict[str, str]:
        """The columns that were named, by their purpose."""
        names = ("text", "by", "weight", "respondent", "human", "inclusion")
        roles = {name: getattr(self, name) for name in names}
        return {role: column for role, column in roles.items() if column is not None}
