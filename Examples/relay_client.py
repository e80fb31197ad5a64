"""Draws the work that programs of this user publish; "relay_client.py cancel ID" cancels one."""
import glob, json, os, socket, sys

def sockets():
    user, chosen = os.geteuid(), os.environ.get("XDG_RUNTIME_DIR", "")
    for folder in sorted({f"{chosen}/headway", f"/run/user/{user}/headway", f"/tmp/headway-{user}"}):
        if os.path.isdir(folder) and os.stat(folder).st_uid == user: yield from glob.glob(f"{folder}/*.sock")

def fraction(tree, number):
    node = tree[number]
    if node.get("finished") or node.get("total") is None: return 1 if node.get("finished") else 0
    if node.get("summary"): return node["summary"]["fraction"]
    below = sum(node["units"] * fraction(tree, other) for other, node in tree.items() if node.get("parent") == number)
    return min((node.get("completed", 0) + below) / node["total"], 1) if node["total"] else 1

def ask(stream, trees, **request):
    print(json.dumps(request), file=stream, flush=True)
    answer = None
    while not answer or not all(trees.values()):  # a tree may come after the answer
        event = json.loads(stream.readline())
        tree = trees.setdefault(event["publication"], {}) if "publication" in event else {}
        for number in event.get("ended", []): del tree[number]
        for node in event.get("nodes", []): tree.setdefault(node["node"], {}).update(node)
        if event["event"] == "publication_ended": del trees[event["publication"]]
        if event["event"] == "answer": answer = event
    return answer

for path in sockets():
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(2)
    try:
        connection.connect(path)
        ask(stream := connection.makefile("rw", encoding="utf-8"), trees := {}, request="subscribe", id=1)
        for publication, tree in list(trees.items()):
            number, node = next(iter(tree.items()))
            part = 1 if node.get("finished") else min(fraction(tree, number), 0.99)
            print(f"{publication}  [{'#' * round(20 * part):<20}] {part:4.0%}  {node.get('label', '')!r}")
            if sys.argv[1:] != ["cancel", publication]: continue
            print(ask(stream, trees, request="cancel", id=2, publication=publication).get("message", "cancelled"))
    except (OSError, ValueError): pass  # it was killed, or stopped
