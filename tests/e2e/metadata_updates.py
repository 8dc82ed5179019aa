"""What a stack's updates leave behind goes again: memory and database stay as they are.

usage: metadata_updates.py HEARTH

300 updates of 200 resources with HEARTH_LONG, else 200. The first 120 let the heap come to what a burst of updates needs.

The server has one heap here. With one for each thread, what it holds beside what is alive rests on which thread did what, and goes
up and down by 4 MiB of 27 from one look to the next, which hides what is lost; with one it is the same within 0.3 MiB.
"""
import os
import sys
import tempfile
import time

from metadata_hostile import Service
from own_network import enter

RESOURCES = 200
BEGIN = 120
UPDATES = 300 if os.environ.get("HEARTH_LONG") else 200


def body(number):
    resources = {f"c{i}": {"type": "OS::Heat::SoftwareConfig", "properties": {"group": "script", "config": f"echo {number} {i}" + "x" * 200}}
                 for i in range(RESOURCES)}
    return {"template": {"heat_template_version": "2018-08-31", "resources": resources}}


def settled(service):
    """Once it has had a second in which nothing was asked: what is left behind is taken out then."""
    time.sleep(2.2)
    return service.memory()


def main():
    enter()
    with tempfile.TemporaryDirectory(prefix="metadata-updates-") as work:
        state = work + "/state"
        os.mkdir(state)
        os.environ["MALLOC_ARENA_MAX"] = "1"
        service = Service(state)
        service.call("POST", "/stacks", dict(body(0), stack_name="st"))
        place = "/stacks/st/" + service.call("GET", "/stacks/st")["stack"]["id"]
        before = 0
        for number in range(1, UPDATES + 1):
            service.call("PUT", place, body(number))
            if number == BEGIN:
                before = settled(service)
        after = settled(service)
        status = service.call("GET", "/stacks/st")["stack"]["stack_status"]
        size = sum(os.path.getsize(f"{state}/{name}") for name in os.listdir(state)) / 2**20
        events = len(service.call("GET", place + "/events")["events"])
        service.stop()
    print(f"{UPDATES} updates of {RESOURCES} resources: {before:.1f} MiB after {BEGIN}, {after:.1f} at the end; {size:.0f} MiB on disk, {events} events")
    assert status == "UPDATE_COMPLETE", status
    assert after < before * 1.1, f"memory grows: {before:.1f} to {after:.1f} MiB"
    assert events <= RESOURCES * 20 + 500, events
    return 0


if __name__ == "__main__":
    sys.exit(main())
