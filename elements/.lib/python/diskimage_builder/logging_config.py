"""Logging as elements' Python hooks expect it: setup() once, then the logging module."""
import json
import logging
import logging.config
import os


def setup():
    """One line a message, "LEVEL NAME [-] MESSAGE", on stderr; DEBUG when hooks are traced.

    DIB_PYTHON_LOGGING_CONFIG_FILE names a JSON file for logging.config.dictConfig instead.
    """
    own = os.environ.get("DIB_PYTHON_LOGGING_CONFIG_FILE")
    if own:
        with open(own, encoding="utf-8") as file:
            logging.config.dictConfig(json.load(file))
        return
    traced = int(os.environ.get("DIB_DEBUG_TRACE") or 0) > 0
    line = "%(levelname)s %(name)s [-] %(message)s" + (" %(funcName)s %(pathname)s:%(lineno)d" if traced else "")
    logging.basicConfig(format=line, level=logging.DEBUG if traced else logging.INFO)
