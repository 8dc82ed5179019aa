"""A PostgreSQL server of a test's own, by Debian's programs."""

import copy
import glob
import os
import pwd
import shutil
import subprocess

from own_network import free_port


def programs():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    return found[-1] if found else None


class Postgres:
    """A cluster in a directory, by Debian's own programs, at one address of this machine. They refuse to run as root."""

    def __init__(self, directory, address="127.0.0.1", rules=""):
        """`rules`: lines of pg_hba.conf that stand before all others."""
        self.address = address
        self.programs = programs()
        self.data = directory + "/data"
        self.port = free_port()
        self.user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
        os.makedirs(self.data)
        if os.getuid() == 0:
            shutil.chown(self.data, "postgres")
            os.chmod(directory, 0o755)
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "hearth", "--no-sync")
        others = "host all,replication all all trust\n" if address != "127.0.0.1" else ""
        with open(self.data + "/pg_hba.conf", "r+", encoding="ascii") as file:
            usual = file.read()
            file.seek(0)
            file.write(rules + usual + others)

    def run(self, program, *args):
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        subprocess.run([*as_user, f"{self.programs}/{program}", *args], check=True, stdout=subprocess.DEVNULL, timeout=300, cwd="/")

    def start(self):
        options = f"-p {self.port} -c listen_addresses={self.address} -c unix_socket_directories= -c fsync=off -c wal_retrieve_retry_interval=500"
        self.run("pg_ctl", "-D", self.data, "-w", "-l", self.data + "/log", "-o", options, "start")

    def copied(self, directory, port, *options):
        """Another server with what this one has, at another port; with -R a replica that follows it. It is not started."""
        other = copy.copy(self)
        other.data, other.port = directory + "/data", port
        os.makedirs(directory)
        if os.getuid() == 0:
            shutil.chown(directory, "postgres")
        self.run("pg_basebackup", "-h", self.address, "-p", str(self.port), "-U", "hearth", "-D", other.data, "-c", "fast", "-X", "stream", *options)
        return other

    def promote(self):
        self.run("pg_ctl", "-D", self.data, "-w", "promote")

    def ask(self, statement, database="postgres"):
        """What psql prints of it."""
        done = subprocess.run([f"{self.programs}/psql", "-qAtc", statement, self.url(database)], capture_output=True, text=True, timeout=60, check=True)
        return done.stdout.strip()

    def create(self, name, *options):
        """A database."""
        self.run("createdb", "-h", self.address, "-p", str(self.port), "-U", "hearth", *options, name)

    def end_connections(self, database="postgres"):
        self.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' "
                 f"AND pid <> pg_backend_pid() AND datname = '{database}'")

    def stop(self):
        self.run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")

    def url(self, name="postgres"):
        return f"postgresql://hearth:secret@{self.address}:{self.port}/{name}"
