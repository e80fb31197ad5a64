#!/usr/bin/env python3
"""Draws the work that programs of this user publish: relay_client.py. Cancels one: relay_client.py cancel ID"""
import glob, json, os, socket, sys

def publishers():
    folders = [f"{os.environ.get('XDG_RUNTIME_DIR', '')}/headway", f"/tmp/headway-{os.getuid()}"]
    for path in (path for folder in folders for path in glob.glob(f"{folder}/*.sock")):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(2)
        try:
            connection.connect(path)
            yield connection.makefile("rw", encoding="utf-8")
        except OSError:
            pass  # left behind by a process that was killed

def fraction(tree, number):
    node = tree[number]
    if node.get("finished") or not node.get("total"): return 1.0 if node.get("finished") else 0.0
    if node.get("summary"): return node["summary"]["fraction"]
    below = sum(child["units"] * fraction(tree, other) for other, child in tree.items() if child.get("parent") == number)
    return min((node.get("completed", 0) + below) / node["total"], 1.0)

def ask(stream, trees, **request):
    print(json.dumps(request), file=stream, flush=True)
    for event in map(json.loads, stream):
        if event["event"] == "progress": trees[event["publication"]] = {}
        tree = trees.get(event.get("publication"), {})
        for number in event.get("ended", []): tree.pop(number, None)
        for node in event.get("nodes", []): tree.setdefault(node["node"], {}).update(node)
        if event["event"] == "answer": return event

for stream in publishers():
    ask(stream, trees := {}, request="subscribe", id=1)
    for publication, tree in trees.items():
        top = next(iter(tree))
        bar = "#" * round(20 * fraction(tree, top))
        print(f"{publication}  [{bar:<20}] {fraction(tree, top):4.0%}  {tree[top].get('label', '')!r}")
        if sys.argv[1:] == ["cancel", publication]:
            print(ask(stream, trees, request="cancel", id=2, publication=publication).get("message", "cancelled"))
