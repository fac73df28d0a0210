"""Doctests of modules that cannot be imported without an extra are left out where it is not installed."""

from semscale.errors import MissingExtraError
from semscale.extras import require

collect_ignore_glob = []
try:
    require("history")
except MissingExtraError:
    collect_ignore_glob = [
        "semscale/history/*",
        "semscale/migrations/*",
        "semscale/store/databases/*",
        "semscale/chat/ledger/server*.py",
    ]
