# The exit status is the job's, as a shell would see it without the wrapper.
rc whyidle run --quiet true
rc whyidle run --quiet -- sh -c 'exit 7'
rc whyidle --quiet sh -c 'exit 255'
# A signal: the wrapper ends by the same one.
python3 - <<'PY'
import signal, subprocess
for name in ("TERM", "KILL", "SEGV", "INT"):
    done = subprocess.run(["whyidle", "run", "--quiet", "sh", "-c", f"kill -{name} $$"])
    print(name, -done.returncode == getattr(signal, "SIG" + name))
PY
rc whyidle run --quiet ./no-such-program
rc whyidle no-such-program
touch plain; chmod 644 plain
rc whyidle run ./plain
# Arguments, standard streams and the environment arrive untouched.
echo data | whyidle run --quiet sh -c 'cat; printf "[%s]" "$@"; echo' sh 'a b' '' '*'
STRANGE="x y" rc whyidle run --quiet -- sh -c 'echo "$STRANGE"'
