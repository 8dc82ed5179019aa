"""What the lint checks share: the files of a source tree, and how offenders are reported."""

import os
import re
import sys

# Rooms and what each may see besides itself: the arrows of the design. tests and examples may see everything.
ARROWS = {
    "base": set(),
    "builder": {"base"},
    "metadata": {"base"},
    "agent": {"base"},
    "pxe": {"base"},
    "bootstrap": {"base", "metadata", "pxe", "builder"},
    "simulation": {"base", "agent", "metadata", "pxe", "bootstrap"},
}
ROOMS = tuple(ARROWS)

# The same within a room, for its folders and theirs, from the ground up: what each includes of those above it in this list.
# "." is what lies in the room's own folder: mostly it puts the others together, and in base they stand on it.
INNER_ARROWS = {
    "base": {
        ".": set(),
        "sys": {"."},
        "sql": {".", "sys"},
        "frames": {"."},
        "cli": {".", "sys"},
        "net": {".", "sys"},
        "gnutls": {".", "net"},
    },
    "builder": {
        "yaml": set(),
        "vm": {"yaml"},
        "qcow2": set(),
        "packing": set(),
        "guestfs": {"vm"},
        "frames": {"vm"},
        "sandbox": set(),
        "blobs": set(),
        "fetch": {"sandbox", "blobs"},
        "elements": set(),
        "packages": {"yaml", "elements"},
        "evidence": {"fetch", "elements"},
        "channels": {"evidence"},
        "disk/layout": {"yaml"},
        "disk/copy": {"qcow2", "packing", "disk/layout"},
        "disk": {"disk/layout", "disk/copy"},
        "disk/ext": {"qcow2", "disk/layout", "disk/copy", "disk"},
        "disk/xfs": {"disk/copy", "disk"},
        "disk/btrfs": {"disk/layout", "disk/copy", "disk"},
        "disk/guest": {"packing", "guestfs", "disk/layout", "disk/copy", "disk", "disk/ext"},
        "boot": {"packing", "disk/layout", "disk/copy", "disk"},
        "output": {"vm", "qcow2", "packing", "packages", "disk/layout", "disk/copy", "disk", "boot"},
        "spec": {"yaml", "qcow2", "fetch", "elements", "evidence", "disk/layout", "disk", "output"},
        "report": {"evidence"},
        "plan": {"elements", "packages", "evidence", "disk/layout", "disk", "disk/guest", "output", "spec", "report"},
        "layers": {"packages", "plan", "evidence"},
        "store": {"blobs", "evidence", "layers"},
        "outdated": {"blobs", "fetch", "packages", "evidence", "store"},
        "lint": {"yaml", "elements", "packages", "disk/layout", "plan", "spec", "report"},
        "inspect": {"vm", "guestfs", "packages", "disk/layout", "disk/ext"},
        "target": set(),
        "hooks": {"packing", "sandbox", "fetch", "elements", "packages", "evidence", "disk/copy", "spec", "report", "plan", "layers", "target"},
        "cache": {"blobs", "sandbox", "fetch", "evidence", "spec", "report", "layers", "store", "hooks"},
        "run": {"blobs", "packing", "guestfs", "sandbox", "fetch", "packages", "plan", "evidence", "disk/layout", "disk/copy", "disk", "disk/guest", "boot", "output", "layers", "store", "spec", "report", "lint", "outdated", "target", "hooks", "cache"},
        "fleet": {"plan", "lint", "evidence", "report", "run"},
        ".": {"yaml", "vm", "guestfs", "frames", "fetch", "elements", "packages", "plan", "evidence", "channels", "disk/layout", "boot", "output", "store", "spec", "report", "outdated", "lint", "inspect", "hooks", "run", "fleet"},
    },
    "metadata": {
        "model": set(),
        "credentials": set(),
        "serve": {"credentials"},
        "jinja": {"model"},
        "yaql": {"model"},
        "language": {"model", "yaql"},
        "parameters": {"model", "language"},
        "template": {"model", "language", "parameters"},
        "resources/types": set(),
        "resources": {"model", "parameters", "resources/types"},
        "environment": {"model", "parameters", "resources"},
        "graph": {"model", "credentials", "parameters", "template", "resources", "environment"},
        "compile": {"model", "language", "resources", "graph"},
        "bake": {"model", "resources"},
        "batch": {"model", "parameters", "template", "environment", "compile"},
        "roles": {"model", "jinja", "compile"},
        "lsp": {"model", "language", "parameters", "template", "resources", "environment", "graph", "compile"},
        "engine": {"credentials", "serve", "resources/types"},
        "rest": {"serve", "engine"},
        "live": {"model", "serve", "language", "parameters", "resources", "environment", "graph", "compile", "roles", "engine", "rest"},
        ".": {"model", "compile", "bake", "batch", "roles"},
    },
    "agent": {
        "static_program": set(),
        "log": set(),
        "value": set(),
        "run_parts": set(),
        "signal": set(),
        "deploy/ground": set(),
        "deploy/hardware": set(),
        "deploy/disk": set(),
        "deploy/rest": set(),
        "deploy/spread": {"deploy/disk", "deploy/rest"},
        "deploy/image": {"deploy/disk", "deploy/spread"},
        "deploy/init": {"deploy/ground", "deploy/hardware", "deploy/disk"},
        "deploy/partition": {"deploy/hardware", "deploy/disk"},
        "deploy/boot": {"deploy/disk", "deploy/partition"},
        "deploy/protocol": set(),
        "deploy": {"deploy/ground", "deploy/hardware", "deploy/disk", "deploy/image", "deploy/init", "deploy/partition", "deploy/boot", "deploy/protocol", "deploy/rest", "deploy/spread"},
        "apply": set(),
        "net": {"log", "apply"},
        "refresh": {"log", "run_parts"},
        "heat_config/deployment": set(),
        "heat_config/hooks": {"value", "signal", "apply", "heat_config/deployment"},
        "heat_config": {"log", "value", "signal", "heat_config/deployment", "heat_config/hooks"},
        "collect": {"log", "signal"},
        "cfn": {"log", "value", "collect"},
        "doctor": {"signal", "heat_config/deployment", "heat_config/hooks", "heat_config", "collect"},
        ".": {"run_parts", "deploy", "apply", "net", "refresh", "heat_config/hooks", "heat_config", "collect", "cfn", "doctor"},
    },
    "bootstrap": {
        "node": set(),
        "store": {"node"},
        "power": {"node"},
        "inventory": {"node", "power"},
        "site": {"node", "inventory"},
        "bundle": {"node", "site"},
        "conductor": {"node", "store", "power", "inventory"},
        "boot": {"node", "store", "conductor"},
        "gate": {"node"},
        "handover": {"store", "bundle", "gate"},
        "api": {"node", "power", "inventory", "conductor", "gate", "handover"},
        "why/causes": {"node", "power"},
        "page": {"node", "store", "power", "conductor", "gate", "why/causes"},
        "client": {"node", "power", "conductor", "api"},
        "deploy": {"node", "client"},
        "cli": {"node", "store", "power", "inventory", "site", "bundle", "boot", "handover", "gate", "api", "page", "client", "deploy"},
        "seed": {"node", "power", "site", "bundle", "handover", "client"},
        "rehearse": {"node", "power", "inventory", "site", "client", "seed"},
        "why": {"node", "client", "why/causes"},
        "simulate": set(),
        "program": {"inventory", "api", "site", "bundle", "cli", "seed", "rehearse", "simulate", "why"},
        ".": {"program"},
    },
    "pxe": {
        "net": set(),
        "serve": {"net"},
        "boot": {"net", "serve"},
        "dhcp": {"net", "serve", "boot"},
        "tftp": {"net", "serve"},
        "http": {"net", "serve"},
        ".": {"serve", "boot", "dhcp", "tftp", "http"},
    },
    "simulation": {
        ".": set(),
    },
}

# A namespace is named after its room, or after a folder that its file lies in: hearth::builder, hearth::builder::vm. These
# folders and files are not so yet; the list only shrinks.
OTHER_NAMESPACES = {
    "metadata/engine": "hearth::metadata::live",
    "metadata/resources/types/live_role.hpp": "hearth::metadata::live",
    "metadata/rest": "hearth::metadata::live",
}
OUTSIDE = {".git", "__pycache__"}  # .git is a file in a worktree


def files(root, *tops):
    """Paths relative to root, sorted; below the given top folders, or everywhere. Build output is left out."""
    found = []
    for top in tops or ("",):
        for folder, folders, names in os.walk(os.path.join(root, top)):
            here = os.path.relpath(folder, root)
            folders[:] = [f for f in folders if f not in OUTSIDE and not (here == "." and f == "build") and
                          not (here.startswith("examples") and f == "output")]
            found += [os.path.normpath(os.path.join(here, name)) for name in names if name not in OUTSIDE]
    return sorted(found)


def sources(root, *suffixes):
    """Product sources: those of the rooms."""
    return [path for path in files(root, *ROOMS) if path.endswith(suffixes)]


def text(root, path):
    """The file as text, or nothing for binary files and dangling links."""
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            return file.read()
    except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
        return ""


def without_comments(code):
    """C++ code with comments and the contents of literals blanked out; line breaks stay, so that lines count right."""
    blank = lambda found: re.sub(r"[^\n]", " ", found.group(0))
    pattern = r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'(?!\w)|//[^\n]*|/\*(?:.|\n)*?\*/'
    return re.sub(pattern, blank, code)


def line_of(code, offset):
    return code.count("\n", 0, offset) + 1


def report(check, offenders):
    """Prints the offenders; the exit code of the check."""
    for offender in offenders:
        print(offender)
    if offenders:
        print(f"{check}: {len(offenders)} offender(s)", file=sys.stderr)
        return 1
    return 0
