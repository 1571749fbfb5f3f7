# A job that was killed leaves its rolling report, and the wrapper knows how it ended.
fixture loader | sed 's/"end":"exited","status":0/"end":"running","status":null/' > rolling.json
export STAND_IN_REPORT=$PWD/rolling.json STAND_IN_ONLY=sh
echo "--- a fault of its own"
python3 - <<'PY'
import subprocess
done = subprocess.run(["whyidle", "sh", "-c", "kill -SEGV $$"], stderr=subprocess.PIPE)
print(done.stderr.decode().strip(), done.returncode)
PY
for how in 'kill -KILL $$' 'kill -TERM $$' 'exit 0'; do
    echo "--- $how"
    python3 - "$how" <<'PY'
import subprocess, sys
done = subprocess.run(["whyidle", "sh", "-c", sys.argv[1]], stderr=subprocess.PIPE)
print("".join(done.stderr.decode().splitlines(True)[:6]), done.returncode)
PY
done
