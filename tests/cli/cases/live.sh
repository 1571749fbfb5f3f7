# The real library and the virtual GPU: what `run` and `check` give around a real job.
build=${WI_BUILD:-}
library=$build/src/collect/libwhyidle.so demo=$build/samples/demo_healthy
[ -e "$library" ] && [ -x "$demo" ] && [ -d "$build/vgpu/13" ] || { echo SKIP not built; exit 0; }
export LD_LIBRARY_PATH=$build/vgpu/13:$build/vgpu
unset WHYIDLE_LIB
real_preload
whyidle lib | sed "s|$build|BUILD|"
echo --- run
WHYIDLE_TRACE=$PWD/r.trace whyidle run --json r.json "$demo" > out 2> err; echo "rc $?"
cat out
sed -n 's/^\(VERDICT [a-z/-]*\).*/\1/p; s/^CAN I TRUST IT *\([a-z ]*\);.*/\1/p' err
ls whyidle-out/*/ | sed 's/.*\.json$/a report/'
whyidle report -f json > latest.json; cmp <(python3 -m json.tool r.json) <(python3 -m json.tool latest.json) && echo same
echo --- the trace of that run, accounted here, gives the same report
whyidle report -f json r.trace > again.json
python3 - <<'PY'
import json
live, again = (json.load(open(name)) for name in ("r.json", "again.json"))
for document in (live, again):
    del document["overhead"], document["job"]["source"], document["run"]["watermark_ns"]
print([key for key in live if live[key] != again[key]])
PY
echo --- a failing job
rc whyidle sh -c "'$demo' > /dev/null; exit 3" 2>&1 | sed 's/whyidle-out.*/whyidle-out/'
echo --- check
whyidle check --min-compute 40 --max-stall 55 -- "$demo" | sed 's/[0-9.]* % of the time.*//'
echo --- a GPU that the job was not seen to use
rc whyidle check --no-gpu=skip --max-stall 20 -- true
echo --- no CUDA
rc whyidle true
echo --- ends before the first report: what is known, and no more
job=$build/tests/preload/job13
end() {
    echo "- $*" | sed "s|'*/[^ ]*/\([a-z0-9_]*\)'*|\1|g"
    whyidle "$@" 2>&1 | sed 's|/[^ ]*/whyidle-out[^ ]*|FOLDER|; /Killed/d; s/^\(VERDICT\).*/\1/; /VERDICT/q'
    echo "rc ${PIPESTATUS[0]}"
}
end "$job" launch 5 sleep 300 kill
end "$job" launch 5 sleep 300 abort
end "$job" launch 5 sleep 300 exec
end sh -c "'$job' launch 5 sleep 300 kill; exit 0"
end sh -c "'$job' launch 5 sleep 300 exec; exit 3"
echo --- ends that leave one
end "$job" launch 5 sync sleep 300 _exit 0
end "$job" launch 5 sync sleep 300 quick_exit 3
end "$build/tests/preload/life_job" vfork spawn
end sh -c "'$job' launch 5 sync sleep 300 exit 3; exit 0"
echo --- in a folder that is gone
(mkdir gone && cd gone && rmdir ../gone && TMPDIR=/tmp whyidle true 2>&1 | sed "s|/tmp/whyidle-out-[0-9]*|SPARE|"; echo "rc ${PIPESTATUS[0]}")
