"""What the calls of a study took."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class RunFacts:
    """What a run took, and how it ended.

    Attributes:
        model: name of the model that answered.
        calls: calls that this run sent; replies from the ledger need none.
        tokens: of these calls' prompts and replies.
        money: what they cost; ``None`` where no price is known.
        currency: of the money.
        form: in which the model decided; ``None`` where it did not.
        not_taken: why forms of decisions were not taken, by their names.
        stopped: why not everything was asked, or ``None``.
        left_out: parameters that the model refused, so that it was asked without them.
    """

    model: str
    calls: int = 0
    tokens: int = 0
    money: float | None = None
    currency: str | None = None
    form: str | None = None
    not_taken: Mapping[str, str] = field(default_factory=dict)
    stopped: str | None = None
    left_out: tuple[str, ...] = ()
