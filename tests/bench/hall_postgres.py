#!/usr/bin/python3
"""hall_fleet.py with the state in PostgreSQL: a server of this program's own, on this machine, which flushes nothing to the disk.
usage: hall_postgres.py HEARTH [NODES] [OF THEM BY REDFISH] [DEPLOYMENTS]
"""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../peers"))
from postgres import Postgres, programs  # noqa: E402  pylint: disable=wrong-import-position


def main():
    if programs() is None:
        print("there is no PostgreSQL (cmake/install-packages.sh peers)")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="hearth-hall-") as directory:
        server = Postgres(directory)
        server.start()
        try:
            server.ask("CREATE DATABASE hall ENCODING 'UTF8' TEMPLATE template0")
            sys.exit(subprocess.run([sys.executable, "-B", os.path.join(HERE, "hall_fleet.py"), sys.argv[1], *(sys.argv[2:] or ["3000", "400", "300"])],
                                    env={**os.environ, "HEARTH_TEST_DATABASE": server.url("hall")}, check=False).returncode)
        finally:
            server.stop()


main()
