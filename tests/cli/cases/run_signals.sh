# A signal sent to the wrapper reaches the job, and the report is still printed.
fixture loader > loader.json
export STAND_IN_REPORT=$PWD/loader.json STAND_IN_ONLY=sh
for signal in TERM INT HUP USR1; do
    python3 - $signal <<'PY'
import signal, subprocess, sys
number = getattr(signal, "SIG" + sys.argv[1])
job = subprocess.Popen(["whyidle", "sh", "-c", f"trap 'echo got it; exit 5' {sys.argv[1]}; echo up; "
                        "while :; do sleep 0.05; done"], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
job.stdout.readline()
job.send_signal(number)
out, err = job.communicate()
print(sys.argv[1], out.decode().strip(), job.returncode, b"THE GPU IDLES" in err)
PY
done
# nohup: a signal that is ignored stays ignored, here and in the job.
python3 - <<'PY'
import signal, subprocess
job = subprocess.Popen(["whyidle", "run", "-q", "sh", "-c", "echo up; sleep 0.3; echo survived"],
                       stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
job.stdout.readline()
job.send_signal(signal.SIGHUP)
print(job.communicate()[0].decode().strip(), job.returncode)
PY
# A parent that ignores SIGCHLD: the status is still the job's, and the job still ignores it.
python3 - <<'PY'
import signal, subprocess
program = "import signal, sys; print(signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN); sys.exit(7)"
done = subprocess.run(["whyidle", "run", "-q", "python3", "-c", program], stdout=subprocess.PIPE,
                      preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
print(done.stdout.decode().strip(), done.returncode)
PY
