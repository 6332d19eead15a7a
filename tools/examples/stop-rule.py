import json, sys

def done(yes, no):
    return abs(yes - no) >= 2 or yes + no >= 7

for line in sys.stdin:
    state = json.loads(line)
    index = [None if done(a - 1, b - 1) else -(a + b) for a, b in state["instances"]]
    print(json.dumps({"index": index, "alone": True}), flush=True)
