"""Prints random JSON texts with what Python's json module makes of them, for python_json_peer_test.

One case a line, fields in hexadecimal: input, dumps(value), dumps(indent=2), dumps(indent=4, sort_keys), str(value).
"""
import json
import random
import struct
import sys

rng = random.Random(int(sys.argv[1]))
COUNT = int(sys.argv[2])


def text():
    pools = ["abc xyz", "'\"\\/", "\n\r\t\b\f\x00\x1f\x7f", "éßÿ\xa0\xad", "\u2028\ufeff中\ue000", "😀\U000e0001\U0010ffff"]
    return "".join(rng.choice(rng.choice(pools)) for _ in range(rng.randrange(8)))


def number():
    kind = rng.randrange(7)
    if kind == 0:
        return rng.randrange(-10, 10)
    if kind == 1:
        return rng.randrange(-2**66, 2**66)
    if kind == 2:
        return rng.choice([1, -1]) * rng.randrange(10) ** rng.randrange(40)
    if kind == 3:
        return rng.random() * 10 ** rng.randrange(-8, 20)
    if kind == 4:
        return float(10 ** rng.randrange(0, 25))
    if kind == 5:
        return struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0]
    return rng.choice([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 5e-324, 1.7976931348623157e308])


def value(depth):
    kind = rng.randrange(8 if depth else 5)
    if kind < 2:
        return number()
    if kind == 2:
        return rng.choice([True, False, None])
    if kind < 5:
        return text()
    if kind == 5:
        return [value(depth - 1) for _ in range(rng.randrange(5))]
    return {text(): value(depth - 1) for _ in range(rng.randrange(5))}


for _ in range(COUNT):
    sample = value(4)
    source = json.dumps(sample, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 0, 3]))
    loaded = json.loads(source)
    forms = [source, json.dumps(loaded), json.dumps(loaded, indent=2), json.dumps(loaded, indent=4, sort_keys=True),
             str(loaded)]
    print(" ".join(form.encode().hex() or "-" for form in forms))
