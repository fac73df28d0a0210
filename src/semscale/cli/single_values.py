"""Commands that refuse an option with one value where it is given twice, instead of using the last one."""

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand


class CommandGroup(typer.Typer):
    """A group of such commands."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[..., Any]:  # noqa: ANN401 - typer's
        """Register a command, as typer does."""
        return super().command(name, **{"cls": _SingleValues, **settings})


class _SingleValues(TyperCommand):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - whichever click it is
        """Parse the arguments, after a look at what is given twice."""
        if args:
            _refuse_repeated(ctx, self.make_parser(ctx).parse_args(args=list(args))[2])
        return super().parse_args(ctx, args)


def _refuse_repeated(ctx: Any, given: list[Any]) -> None:  # noqa: ANN401 - whichever click it is
    options = [one for one in given if one.param_type_name == "option"]
    for place, option in enumerate(options):
        single = not (option.multiple or option.is_flag or option.count)
        if single and option in options[:place]:
            name = max(option.opts, key=len)
            ctx.fail(f"{name} is given twice; it takes one value")
