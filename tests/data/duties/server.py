"""Serves duty.may or jobs.may as an adapter, with a mistake; appends each request that breaks the client's duty to a file.

python3 server.py duty FILE
"""
import json, sys

def duty(q, state):
    a = q["Ask"]
    state["n"] += 1
    return (a["x"] is None) == (a["y"] is None), 0 if state["n"] == 5 else state["n"]

def jobs(q, state):
    if q == "Count":
        return False, state["n"] + (state["n"] > 2)
    (kind, fields), = q.items()
    known = fields["id"] in state["jobs"]
    if kind == "Start":
        state["n"] += 1
        state["jobs"].discard(fields["id"])
    else:
        state["jobs"].add(fields["id"])
    return kind == "Start" and not known, state["n"]

serve, broken = {"duty": duty, "jobs": jobs}[sys.argv[1]], sys.argv[2]
state = {"n": 0, "jobs": set()}
for m in map(json.loads, sys.stdin):
    if "q" in m:
        breaks, answer = serve(m["q"], state)
        if breaks:
            open(broken, "a").write(json.dumps(m) + "\n")
        print(json.dumps({"c": m["c"], "a": answer}), flush=True)
    elif "end" in m:
        break
    elif "close" not in m:
        state = {"n": 0, "jobs": set()}
        print('{"ready": true}', flush=True)
