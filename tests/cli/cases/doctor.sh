export WHYIDLE_LIB=$STAND_IN
facts() { rc whyidle doctor "$@" | grep -E '^(ok|note|less|BAD|rc) ' | grep -E "$want"; }
want='^[a-zA-Z]+ +program|^rc'
facts -- sh | sed 's|/[^ ]*/||g'
printf '#!/usr/bin/env sh\n' > script; chmod +x script
facts -- ./script | sed 's|/[^ ]*/||g'
facts -- ./no-such-program
want='library|output|switch|conflict'
facts | sed "s|$STAND_IN|STAND_IN|; s|$PWD|HERE|"
WHYIDLE=0 facts | grep switch
CUDA_INJECTION64_PATH=/x.so facts | grep conflict
WHYIDLE_LIB=missing.so rc whyidle doctor | grep library
touch plain
WHYIDLE_OUT=plain/x TMPDIR=/tmp whyidle doctor | grep -A1 output | sed "s|$PWD|HERE|"
WHYIDLE_OUT=plain/x TMPDIR=$PWD/plain rc whyidle doctor | grep -A1 output | sed "s|$PWD|HERE|"
whyidle doctor | grep -c '^$'
