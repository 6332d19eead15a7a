import json, sys
for line in sys.stdin:
    state = json.loads(line)
    index = [-abs(a - b) for a, b in state["instances"]]
    print(json.dumps({"index": index}), flush=True)
