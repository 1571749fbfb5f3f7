# A PyTorch trace: ten kernels of 100 us, one every 200 us, each launched 10 us before it starts. From
# the first start to the last end that is 1900 us, of which kernels run 1000 and nothing runs 900.
python3 - <<'PY'
import gzip, json
events = []
for i in range(10):
    common = {"ph": "X", "pid": 7, "tid": 7}
    events.append({**common, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 200 * i - 10 + 1000,
                   "dur": 5, "args": {"correlation": i + 1, "cbid": 211}})
    events.append({**common, "cat": "kernel", "name": "k\u001b[31m", "pid": 0, "tid": 3, "ts": 200 * i + 1000, "dur": 100,
                   "args": {"correlation": i + 1, "device": 0, "stream": 7, "context": 1,
                            "grid": [4096, 1, 1], "block": [256, 1, 1], "registers per thread": 16,
                            "shared memory": 0}})
trace = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Test GPU", "numSms": 100,
         "maxThreadsPerMultiprocessor": 2048, "regsPerMultiprocessor": 65536, "sharedMemPerMultiprocessor": 102400}],
         "traceEvents": events, "traceName": "x"}
text = json.dumps(trace).encode()
open("t.json", "wb").write(text)
open("t.json.gz", "wb").write(gzip.compress(text))
open("cut.json", "wb").write(text[:len(text) * 3 // 4])
open("cut.gz", "wb").write(gzip.compress(text)[:-30])
PY
facts() { python3 -c '
import json, sys
d = json.load(sys.stdin)["devices"][0]
print(d["window"]["length_ns"], d["classes"]["compute"], d["timeline"]["idle_ns"], d["timeline"]["gaps"], d["kernels"])'; }
whyidle report -f json t.json | facts
whyidle report -f json t.json.gz | facts
whyidle report t.json | sed -n '2p'
rc whyidle check --min-compute 50 t.json
echo --- a damaged end
rc whyidle report cut.json
rc whyidle report cut.gz
whyidle report --partial cut.json | tr -s ' \n' ' ' | grep -o 'the file is damaged, only its beginning was used'
whyidle report --partial -f json cut.json | facts | awk '{ print ($5 >= 5 && $5 < 10) ? "some of the kernels" : $0 }'
rc whyidle check --partial --min-compute 50 cut.json
