"""The one table between the free words of scenario files and whyidle's stable ids.

Tags of a timeline are "class/what a person would call it"; the report uses kebab-case ids. A row
matches when all its words occur in the tag's text; the first row that matches wins, so that the
rows with more words stand first. A row with several ids accepts any of them."""

CLASSES = {
    # class of the files -> class of the report
    "compute": "compute",
    "under-filled": "under-filled",
    "data-loading": "data-loading",
    "transfer": "transfer",
    "small-batch": "small-batch",
    "host-other": "host",
    "host": "host",
    "comm-wait": "communication",
    "communication": "communication",
    "no-work": "no-work",
    "warm-up": "warm-up",
    "unknown": "unknown",
}

SUBCAUSES = [
    ("data-loading", ["too few", "worker"], ["too-few-workers"]),
    ("data-loading", ["storage"], ["slow-storage"]),
    ("data-loading", ["oversubscription"], ["cpu-oversubscription"]),
    ("data-loading", ["quota"], ["cpu-quota"]),
    ("data-loading", ["throttl"], ["cpu-quota"]),
    ("data-loading", ["affinity"], ["cpu-affinity"]),
    ("data-loading", ["pinned to"], ["cpu-affinity"]),
    ("data-loading", ["gil"], ["gil-contention"]),
    ("data-loading", ["interpreter lock"], ["gil-contention"]),
    ("data-loading", ["tokenis"], ["tokenise-on-the-fly", "single-producer"]),
    ("data-loading", ["single", "producer"], ["single-producer", "tokenise-on-the-fly"]),
    ("data-loading", ["re-creation"], ["loader-recreation"]),
    ("data-loading", ["recreat"], ["loader-recreation"]),
    ("data-loading", ["rebuil"], ["loader-recreation"]),
    ("data-loading", ["hand-off"], ["worker-hand-off"]),
    ("data-loading", ["main thread"], ["decode-in-main-thread"]),
    # Not on the main thread, so by workers that do not keep up with it.
    ("data-loading", ["decode"], ["too-few-workers", "decode-in-main-thread"]),
    ("transfer", ["tiny", "blocking"], ["blocking-copy"]),
    ("transfer", ["tiny", "synchron"], ["blocking-copy"]),
    ("transfer", ["tiny"], ["many-tiny-copies"]),
    ("transfer", ["pageable"], ["pageable-copy"]),
    ("transfer", ["read", "back"], ["read-back-sync"]),
    ("transfer", [".cpu()"], ["read-back-sync"]),
    ("transfer", [".item()"], ["read-back-sync"]),
    ("transfer", ["blocking"], ["blocking-copy"]),
    ("transfer", ["pin"], ["pin-per-copy"]),
    ("transfer", ["page fault"], ["unified-memory"]),
    ("transfer", ["unified"], ["unified-memory"]),
    ("transfer", ["managed"], ["unified-memory"]),
    ("transfer", ["duplicate"], ["duplicate-copy"]),
    ("transfer", ["link"], ["link-limited"]),
    ("small-batch", ["under-filled"], ["under-filled"]),
    ("small-batch", ["unbatched"], ["unbatched-serving"]),
    ("small-batch", ["launch"], ["launch-bound"]),
    ("small-batch", ["gap"], ["launch-bound"]),
    ("small-batch", ["tiny"], ["launch-bound"]),
    ("host-other", ["garbage"], ["garbage-collection"]),
    ("host-other", ["alloc"], ["allocator"]),
    ("host-other", ["checkpoint"], ["checkpoint"]),
    ("host-other", ["optimizer"], ["cpu-optimizer"]),
    ("host-other", ["logging"], ["logging"]),
    ("host-other", ["evaluation"], ["evaluation"]),
    ("host-other", ["contention"], ["cpu-contention"]),
    ("host-other", ["debug"], ["debug-switch"]),
    ("host-other", ["sync"], ["explicit-sync"]),
    ("host-other", [""], ["cpu-compute"]),
    ("comm-wait", [""], ["comm-wait", "exposed-collective"]),
    ("no-work", ["request"], ["no-requests"]),
    ("no-work", ["pace"], ["paced"]),
    ("no-work", [""], ["no-requests", "paced"]),
    ("warm-up", ["autotun"], ["autotune"]),
    ("warm-up", ["jit"], ["jit-compile"]),
    ("warm-up", ["compil"], ["jit-compile"]),
    ("warm-up", ["load"], ["module-load"]),
]


def class_of(tag):
    """"host-other/python" -> "host"; an unknown class is an error of the scenario file."""
    word = tag.split("/")[0].strip()
    if word not in CLASSES:
        raise ValueError(f"no class of the report for '{tag}'")
    return CLASSES[word]


def subcauses_of(tag):
    """The ids that name this tag; [] if the table has no row for it."""
    if tag == "under-filled":
        return ["small-batch/under-filled"]
    word, _, text = tag.partition("/")
    for row_class, words, ids in SUBCAUSES:
        if row_class == word and all(w in text.lower() for w in words):
            return [f"{CLASSES[word]}/{i}" for i in ids]
    return []


def classes_in(text):
    """The classes a sentence names, as the report calls them, in the order of the sentence."""
    text = text.lower()
    found = []
    for word, ours in CLASSES.items():
        at = text.find(word)
        # "host" alone is an English word: only host-other names the class.
        if at >= 0 and word != "host" and ours not in [c for _, c in found]:
            if word == "compute" and "compute-bound" not in text:
                continue
            found.append((at, ours))
    return [c for _, c in sorted(found)]


def ids_in(text):
    """Sub-causes that a sentence names without their class: "too few workers"."""
    text = text.lower()
    return [f"{CLASSES[c]}/{i}" for c, words, ids in SUBCAUSES for i in ids
            if len(" ".join(words)) > 8 and all(w in text for w in words)]
