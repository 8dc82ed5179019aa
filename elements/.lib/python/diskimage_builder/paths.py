"""Where the builder keeps its shell library ("lib") and its elements ("elements")."""
import os
import sys

_LIB = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def get_path(var):
    """The directory that `var` names; ends the program for other names."""
    if var == "lib":
        return os.environ.get("_LIB", _LIB)
    if var == "elements":
        return os.environ.get("ELEMENTS_PATH", os.path.dirname(_LIB)).split(":")[-1]
    print("Unknown path request!")
    sys.exit(1)


def show_path(var):
    """Prints get_path."""
    print(get_path(var))
