"""Without the extra ``postgres`` the modules of ledgers on servers cannot be imported."""

from semscale.errors import MissingExtraError
from semscale.extras import require

try:
    require("postgres")
except MissingExtraError:
    collect_ignore_glob = ["test_server*.py"]
