"""What a long run of faults has done so far, so that it can be ended and gone on with."""
import hashlib
import json
import os
import sys


class Journal:
    """The plan and what has been done of it, in a file if there is one."""

    def __init__(self, path, library):
        with open(library, "rb") as file:
            self.library = hashlib.sha256(file.read()).hexdigest()
        self.path, self.done, self.head = path, {}, None
        if path and os.path.exists(path):
            self.read()

    def read(self):
        with open(self.path, encoding="utf-8") as file:
            whole = [line for line in file if line.endswith("\n")]
        with open(self.path, "w", encoding="utf-8") as file:  # without half a line at the end
            file.writelines(whole)
        if whole:
            self.head, *lines = [json.loads(line) for line in whole]
            self.done = {number: (fired, bad) for number, fired, bad in lines}
            if self.head["library"] != self.library:
                sys.exit(f"{self.path} is of another build: remove it to begin anew")

    def begin(self, seed, places, plans):
        self.head = {"library": self.library, "seed": seed, "places": places, "plans": plans}
        self.write(self.head)

    def add(self, number, fired, bad):
        self.write([number, fired, bad])

    def write(self, line):
        if self.path:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
