# What the job sees; LD_PRELOAD keeps what was there, ours comes last.
rc whyidle run --quiet sh -c 'echo "${LD_PRELOAD##*/}"; echo "$WHYIDLE_JOB_DIR"; echo "$WHYIDLE_WRAPPER_PID"' \
    | sed 's/[0-9]\{8\}-[0-9]\{6\}-[0-9]*$/TIME-PID/; s/^[0-9]*$/PID/'
cp "$STAND_IN" first.so
LD_PRELOAD=$PWD/first.so whyidle run --quiet sh -c 'echo "$LD_PRELOAD"' | sed "s|$STAND_IN|STAND_IN|"
LD_PRELOAD=$STAND_IN whyidle run --quiet sh -c 'echo "$LD_PRELOAD"' | sed "s|$STAND_IN|STAND_IN|"
WHYIDLE_OUT=$PWD/x/y whyidle run --quiet sh -c 'echo "${WHYIDLE_JOB_DIR%/*}"'
touch plain
WHYIDLE_OUT=plain/x TMPDIR=$PWD whyidle run --quiet sh -c 'echo "${WHYIDLE_JOB_DIR%/*}"' 2>&1 | sed "s/-$(id -u)$/-UID/"
WHYIDLE_OUT=plain/x TMPDIR=$PWD/plain rc whyidle run -q sh -c "exit 4" 2>&1 | sed "s/-$(id -u) /-UID /"
SLURM_JOB_ID=4711 whyidle run --quiet sh -c 'echo "${WHYIDLE_JOB_DIR##*/}"' | sed 's/-[0-9]*$/-PID/'
mkdir 'a b' a:b
cp "$STAND_IN" 'a b/lib.so'; cp "$STAND_IN" a:b/lib.so
WHYIDLE_LIB='a b/lib.so' rc whyidle true
WHYIDLE_LIB=a:b/lib.so rc whyidle true
WHYIDLE_LIB=missing.so rc whyidle true
WHYIDLE_LIB=missing.so rc whyidle lib
