"""Columns of a file that are rated, or used beside the ratings."""

from dataclasses import dataclass

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
        human_range: lowest and highest value that humans could give; the scale's own unless given.

    Raises:
        InputError: a range that is not two finite numbers, the lower first.
    """

    text: str
    by: str | None = None
    weight: str | None = None
    respondent: str | None = None
    human: str | None = None
    human_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        check_human_range(self.human_range)

    def named(self) -> dict[str, str]:
        """The columns that were named, by their purpose."""
        roles = {name: getattr(self, name) for name in ("text", "by", "weight", "respondent", "human")}
        return {role: column for role, column in roles.items() if column is not None}
