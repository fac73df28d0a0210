"""The names of the directions that numbers of a field may have."""

from typing import Literal

Direction = Literal["lower", "higher", "either"]
"""Which numbers of a field are better; ``either``: any change counts."""
