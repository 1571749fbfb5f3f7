"""Variants of a timeline block: every duration and count changed at random, within bounds.

What must stay equal stays so: collectives and the loops that hold them are changed alike on all
ranks, or the ranks would not meet."""
import math
import re

DURATION = 0.15  # largest relative change
COUNT = 0.30
TIMES = {"host", "dev", "gap", "stall", "wake"}


class CountsOnly:
    """Draws counts but leaves durations as they are."""
    def __init__(self, rng):
        self.randint = rng.randint

    @staticmethod
    def uniform(low, high):
        return (low + high) / 2


def count_near(rng, count):
    """A whole number within the bounds; small ones have no other."""
    low, high = math.ceil(count * (1 - COUNT)), math.floor(count * (1 + COUNT))
    return rng.randint(low, high) if low <= high else count


def time_near(rng, ms):
    return f"{ms * rng.uniform(1 - DURATION, 1 + DURATION):.7g}"


def holds_collective(lines, at):
    """Whether the loop that starts at lines[at] has a collective in it."""
    depth = 0
    for line in lines[at:]:
        word = (line.split() or [""])[0]
        depth += (word == "loop") - (word == "end")
        if word == "coll":
            return True
        if not depth:
            return False
    return False


def vary_options(rng, words):
    out = []
    for word in words:
        key, equals, value = word.partition("=")
        if equals and key in TIMES:
            word = f"{key}={time_near(rng, float(value))}"
        elif equals and key == "n":
            word = f"n={count_near(rng, int(value))}"
        out.append(word)
    return out


def vary_statement(rng, words):
    op = words[0]
    if op in ("wait", "cpu"):
        return [op, time_near(rng, float(words[1]))] + words[2:]
    if op in ("malloc", "free", "hostalloc"):
        return [op, str(count_near(rng, int(words[1]))), time_near(rng, float(words[2]))]
    if op in ("kern", "graph"):
        return [op, str(count_near(rng, int(words[1])))] + vary_options(rng, words[2:])
    if op in ("h2d", "d2h"):
        return words[:2] + vary_options(rng, words[2:])
    return words


def vary(block, rng, each_time=False):
    """The text of another block. each_time: durations vary from one occurrence to the next instead
    of from one block to the next."""
    if each_time:
        return f"jitter {100 * DURATION:.0f} {rng.randint(1, 1000000)}\n" + vary(
            block, CountsOnly(rng))
    lines, out, shared, depth = block.splitlines(), [], {}, 0
    for at, line in enumerate(lines):
        statement, colons, tag = line.partition("::")
        words = statement.split("#")[0].split()
        if not words or words[0] in ("side", "scale", "note", "rank", "sync"):
            out.append(line)
            continue
        if words[0] == "loop":
            count = int(words[1])
            if not holds_collective(lines, at):
                words[1] = str(count_near(rng, count))
            elif depth == 0:
                words[1] = str(shared.setdefault(("loop", count), count_near(rng, count)))
            depth += 1
        elif words[0] == "end":
            depth -= 1
        elif words[0] == "coll":
            words = shared.setdefault(statement, ["coll"] + vary_options(rng, words[1:]))
        else:
            words = vary_statement(rng, words)
        out.append(" ".join(words) + (f" ::{tag}" if colons else ""))
    return "\n".join(out) + "\n"


def blocks_of(path):
    """[(case, name, text of the block)]"""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    found = []
    for case, body in re.findall(r"^### ([\w.-]+)[^\n]*\n(.*?)(?=^### |\Z)", text, re.S | re.M):
        for name, block in re.findall(r"^```timeline ?(\S*)\n(.*?)^```", body, re.S | re.M):
            found.append((case, name, block))
    return found
