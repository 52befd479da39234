"""The logger of the package, silent unless its user asks: ``logging.getLogger("s2fs")``."""

import logging

LOGGER = logging.getLogger("s2fs")
LOGGER.addHandler(logging.NullHandler())
