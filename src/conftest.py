"""Doctests of modules that cannot be imported without an extra are left out where it is not installed."""

from semscale.errors import MissingExtraError
from semscale.extras import require

collect_ignore_glob = []
for extra, modules in (
    ("postgres", ["semscale/chat/ledger/server*.py"]),
    ("serve", ["semscale/serving/*"]),
):
    try:
        require(extra)
    except MissingExtraError:
        collect_ignore_glob += modules
