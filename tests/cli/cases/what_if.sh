# 60 steps of 20 ms: a kernel of 10 ms that fills the device, then 10 ms in which nothing is asked for.
# With kernels in half the time a step takes 15 ms: 20 / 15 = 1.33; of 60 steps 58 lie whole between the
# first and the last wait: 1160 -> 870 ms, and four times as fast 58 x 12.5 = 725. Nothing waits for input.
python3 - <<'PY'
import json
events = []
for i in range(60):
    at = 1000000 + 20000 * i
    call = {"ph": "X", "pid": 7, "tid": 7, "cat": "cuda_runtime"}
    events.append({**call, "name": "cudaLaunchKernel", "ts": at, "dur": 10,
                   "args": {"correlation": 2 * i + 1, "cbid": 211}})
    events.append({"ph": "X", "pid": 0, "tid": 7, "cat": "kernel", "name": "gemm", "ts": at + 10,
                   "dur": 10000, "args": {"correlation": 2 * i + 1, "device": 0, "stream": 7,
                   "context": 1, "grid": [4096, 1, 1], "block": [1024, 1, 1],
                   "registers per thread": 16, "shared memory": 0}})
    events.append({**call, "name": "cudaDeviceSynchronize", "ts": at + 20, "dur": 9990,
                   "args": {"correlation": 2 * i + 2, "cbid": 165}})
trace = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Test GPU", "numSms": 100,
         "maxThreadsPerMultiprocessor": 2048, "regsPerMultiprocessor": 65536,
         "sharedMemPerMultiprocessor": 102400}], "traceEvents": events, "traceName": "x"}
json.dump(trace, open("t.json", "w"))
PY
echo --- one change, as text and as a document
whyidle report --what-if gpu-2x t.json | sed 's/(range.*)/(range)/'
whyidle report --what-if balanced-ranks t.json | sed 's/(range.*)/(range)/' | head -2
echo --- what was said of each change stands beside it
whyidle report --what-if gpu-2x:x=4+host-other-free:cause=checkpoint,stay=2.5+pinned-async t.json |
    sed 's/(range.*)/(range)/' | head -4
for change in gpu-2x producer-rate:x=2+pinned-async; do
    whyidle report --what-if $change -f json t.json | python3 -c '
import json, sys
d = json.load(sys.stdin)
p = d["prediction"]
print(d["schema"], d["change"], p["universe"], round(p["speedup"], 2), p["low"] <= p["speedup"] <= p["high"],
      p["withheld"], d["replay"]["error"] < 0.01, d["replay"]["calls"])'
done
echo --- a figure that changes nothing says so: 16 MB in 4 ms are 4 GB/s
python3 - <<'PY'
import json
events = []
for i in range(60):
    at = 1000000 + 20000 * i
    for n, (name, cbid, ts, dur) in enumerate((("cudaMemcpyAsync", 41, at, 4000), ("cudaLaunchKernel", 211, at + 4010, 10),
                                               ("cudaDeviceSynchronize", 165, at + 4030, 9990))):
        events.append({"ph": "X", "pid": 7, "tid": 7, "cat": "cuda_runtime", "name": name, "ts": ts, "dur": dur,
                       "args": {"correlation": 3 * i + n + 1, "cbid": cbid}})
    events.append({"ph": "X", "pid": 0, "tid": 7, "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)",
                   "ts": at, "dur": 4000, "args": {"correlation": 3 * i + 1, "device": 0, "stream": 7, "context": 1, "bytes": 16000000}})
    events.append({"ph": "X", "pid": 0, "tid": 7, "cat": "kernel", "name": "gemm", "ts": at + 4020, "dur": 10000,
                   "args": {"correlation": 3 * i + 2, "device": 0, "stream": 7, "context": 1, "grid": [4096, 1, 1],
                            "block": [1024, 1, 1], "registers per thread": 16, "shared memory": 0}})
json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Test GPU", "numSms": 100}],
           "traceEvents": events, "traceName": "x"}, open("copies.json", "w"))
PY
for rate in 3.9 4.1; do
    whyidle report --what-if pinned-async:rate=$rate copies.json | sed -n '/^  note/,/^CAN/p' | grep -v ^CAN
    whyidle report --what-if pinned-async:rate=$rate -f json copies.json |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["note"])'
done
echo --- what cannot be read: why, what is allowed, and an example
for text in gpu-2x:x=2,x=4 batched:n=4 producer-rate:x=0.5; do
    whyidle report --what-if $text t.json 2>&1 | sed '/UNIVERSE/q'
done
whyidle report --what-if gpu-2x:x=two t.json 2>&1 | head -4
rc whyidle report --what-if gpu-3x no-such-file
rc whyidle report --what-if '' t.json
echo --- what has no events
whyidle report -f json t.json >saved.json
rc whyidle report --what-if gpu-2x saved.json
rc whyidle report --what-if gpu-2x .
