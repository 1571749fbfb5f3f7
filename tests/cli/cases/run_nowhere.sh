# Reports that cannot be written where they should: where they went, or that there are none and why.
uid() { sed "s/-$(id -u)\b/-UID/g; s/[0-9]\{8\}-[0-9]\{6\}-[0-9]*/TIME-PID/g"; }
export TMPDIR=$PWD
echo --- a folder that cannot be made, whatever the rights say
WHYIDLE_OUT=/proc/x rc whyidle run -q true 2>&1 | uid
mkdir spare
WHYIDLE_OUT=/proc/x TMPDIR=/proc/y rc whyidle run sh -c 'exit 3' 2>&1 | uid
WHYIDLE_OUT=/proc/x TMPDIR=relative rc whyidle run true 2>&1 | uid
echo --- what was written to the spare folder is found
mkdir -p whyidle-out-$(id -u)/7
fixture loader > whyidle-out-$(id -u)/7/a.json
ln -s 7 whyidle-out-$(id -u)/latest
WHYIDLE_OUT=/proc/x rc whyidle report 2>/dev/null | grep -E '^VERDICT|^rc'
WHYIDLE_OUT=/proc/x rc whyidle merge 2>/dev/null | grep -E '^VERDICT|^rc'
WHYIDLE_OUT=/proc/x rc whyidle check --max-stall 90 | grep -E '^[A-Z]+ |^rc'
echo --- but not where reports go to their own folder
rc whyidle report 2>&1
echo --- a document that cannot be written
rc whyidle run --json nowhere/r.json sh -c 'echo started' 2>&1
rc whyidle run --json spare sh -c 'echo started' 2>&1
rc whyidle run --json /proc/r.json sh -c 'echo started' 2>&1
rc whyidle run --json r.json sh -c 'echo started; exit 4' 2>&1 | sed 's/doctor -- .*/doctor -- .../'
ls r.json 2>&1
rc whyidle check --max-stall 20 --junit nowhere/x.xml -- sh -c 'echo started' 2>&1
ls -A whyidle-out 2>&1
echo --- a job that changed its user: by the number of the folder, and only of that owner
fixture loader > loader.json
user=$(id -u)
[ "$user" != 0 ] || user=4711
users_job() {
    rc whyidle run -q sh -c 'd=whyidle-out-$0/$(basename "$WHYIDLE_JOB_DIR"); mkdir -p "$d"; cp loader.json "$d"/a.json
        [ "$(id -u)" != 0 ] || chown -R "$1" whyidle-out-$0' "$1" "$2" 2>&1 |
        sed "s/-$user\b/-USER/; s/[0-9]\{8\}-[0-9]\{6\}-[0-9]*/TIME-PID/g; s/doctor -- .*/doctor -- .../"
}
users_job "$user" "$user"
users_job 4712 "$user"
