"""What tests of conductors whose state lives in PostgreSQL share: the server, what runs them, people who write, and what must be kept."""
import contextlib
import http.client
import os
import threading
import time

from conductor import in_own_namespace, need, same, until
from postgres import Postgres, programs  # noqa: F401  pylint: disable=unused-import

CLOSED = "host all closed 127.0.0.1/32 scram-sha-256\n"  # a rule: the user closed needs his password


def run_in_own_namespace(inside):
    """The main program of a test that needs PostgreSQL, and rights to make a network of its own."""
    need(programs(), "postgresql is not installed")
    need(os.getuid() == 0, "not root: no network namespace of its own")
    in_own_namespace(inside)


def timed(check, *words):
    began = time.monotonic()
    check(*words)
    print(f"{time.monotonic() - began:5.1f} s  {check.__name__}", flush=True)


class Busy:
    """Does something again and again beside the test; what it throws fails that."""

    def __init__(self):
        self.stop, self.fault = threading.Event(), None
        self.thread = threading.Thread(target=self.run)

    def run(self):
        try:
            while not self.stop.is_set():
                self.once()
        except Exception as error:  # pylint: disable=broad-except
            self.fault = error

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def check(self):
        if self.fault:
            raise self.fault


def status_of(conductor, method, path, body=None):
    """Or None where nobody answers."""
    with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
        return conductor.ask_raw(method, path, body)[0]
    return None


def made(conductor, name):
    """Whether a node was acknowledged."""
    return status_of(conductor, "POST", "/v1/nodes", {"driver": "fake-hardware", "name": name}) == 201


def acknowledged(conductor, prefix):
    """The name of a node that was: one that was answered with 503 may be there, too."""
    tried = [f"{prefix}-0"]

    def is_made():
        tried.append(f"{prefix}-{len(tried)}")
        return made(conductor, tried[-1])
    until(is_made)
    return tried[-1]


def all_nodes(conductor, path="/v1/nodes"):
    found, after = [], ""
    while page := conductor.ask("GET", f"{path}?limit=1000{after}")[1]["nodes"]:
        found += page
        after = f"&marker={page[-1]['uuid']}"
    return found


def all_events(conductor):
    found, after = [], 0
    while page := conductor.ask("GET", f"/v1/hearth/events?limit=1000&after={after}")[1]["events"]:
        found += page
        after = page[-1]["id"]
    return found


def check_kept(conductor, created, maintained=()):
    """Of nodes that were acknowledged, and of their maintenance, each is there, and the event that tells of it, once; how many events."""
    nodes, events = {node["name"]: node for node in all_nodes(conductor)}, all_events(conductor)
    assert set(created) <= set(nodes), f"acknowledged, and lost: {set(created) - set(nodes)}"
    lost = [name for name in maintained if not nodes[name]["maintenance"]]
    assert not lost, f"acknowledged, and lost: the maintenance of {lost}"
    ids = [event["id"] for event in events]
    same("events, by their numbers", sorted(set(ids)), ids)
    told = [event["name"] for event in events if event["text"].startswith("created")]
    assert set(created) <= set(told), f"made, and no event tells it: {set(created) - set(told)}"
    assert len(told) == len(set(told)), "an event is there twice"
    noted = {event["name"] for event in events if event["kind"] == "maintenance"}
    assert set(maintained) <= noted, f"no event tells of the maintenance of {set(maintained) - noted}"
    return len(ids)
