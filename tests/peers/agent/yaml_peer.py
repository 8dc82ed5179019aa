"""docker-compose.yml as 50-heat-config-docker-compose writes it against PyYAML's safe_dump, over many values.
Usage: yaml_peer.py --links DIR"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from compare import arguments

PIECES = ["a", "B", "word", "1", "0", ".", "-", "_", ":", "#", "'", '"', "\\", " ", "  ", "\n", "\t", ",", "?", "!", "&", "*", "[", "]", "{",
          "}", "|", ">", "%", "@", "`", "=", "~", "\u00e9", "\u20ac", "\U0001f600", "\u2028", "\x07", "yes", "No", "null", "1e3", "0x1", "2020-01-01",
          "<<", "---", "...", "https://example.test/a?b=c", "1:30", "${VAR}"]


def text(chooser):
    return "".join(chooser.choice(PIECES) for _ in range(chooser.choice([0, 1, 1, 2, 3, 5, 40])))


def value(chooser, depth):
    kind = chooser.randrange(10 if depth < 4 else 7)
    if kind < 4:
        return text(chooser)
    if kind == 4:
        return chooser.choice([True, False, None])
    if kind == 5:
        return chooser.choice([0, -5, 10**20, 1.5, 1e22, -0.0, 1e-7])
    if kind == 6:
        return chooser.choice([[], {}])
    if kind == 7:
        return [value(chooser, depth + 1) for _ in range(chooser.randrange(1, 4))]
    return {text(chooser)[:100]: value(chooser, depth + 1) for _ in range(chooser.randrange(1, 4))}


def main():
    options = arguments()
    try:
        import yaml
    except ImportError:
        print("SKIPPED: python3-yaml is not installed")
        sys.exit(77)
    chooser = random.Random(20260131)
    values = [{text(chooser)[:100] or "k": value(chooser, 1) for _ in range(3)} for _ in range(2000)]
    bad = 0
    with tempfile.TemporaryDirectory(prefix="yaml-peer-") as lab:
        config = os.path.join(lab, "config")
        with open(config, "w") as f:
            json.dump([{"id": str(i), "name": str(i), "group": "docker-compose", "config": v} for i, v in enumerate(values)], f)
        env = {"PATH": "/usr/bin:/bin", "HEAT_SHELL_CONFIG": config, "HEAT_DOCKER_COMPOSE_WORKING": lab}
        subprocess.run([os.path.join(options.links, "50-heat-config-docker-compose")], env=env, check=True, timeout=60)
        for i, v in enumerate(values):
            with open(os.path.join(lab, str(i), "docker-compose.yml"), encoding="utf-8") as f:
                ours = f.read()
            theirs = yaml.safe_dump(v, default_flow_style=False)
            if ours != theirs:
                bad += 1
                print("DIFFERS %r\n  theirs: %r\n  ours:   %r" % (v, theirs, ours))
    print("%d values, %d differ" % (len(values), bad))
    sys.exit(1 if bad else 0)


main()
