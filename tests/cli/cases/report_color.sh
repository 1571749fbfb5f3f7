# Colours on terminals only; the option, then WHYIDLE_COLOR, then NO_COLOR decide.
fixture loader > r.json
count() { python3 -c 'import sys; print(sys.argv[1], sys.stdin.buffer.read().count(b"\x1b[") > 0)' "$1"; }
terminal() { python3 -c 'import os, pty, sys; os.environ["COLUMNS"] = "80"; pty.spawn(sys.argv[1:])' "$@"; }
whyidle report r.json | count pipe
whyidle report --color always r.json | count always
whyidle report --color never r.json | count never
WHYIDLE_COLOR=always whyidle report r.json | count variable
WHYIDLE_COLOR=always whyidle report --color=never r.json | count option-first
terminal whyidle report r.json | count terminal
NO_COLOR=1 terminal whyidle report r.json | count no-color
NO_COLOR= terminal whyidle report r.json | count empty-no-color
TERM=dumb terminal whyidle report r.json | count dumb
NO_COLOR=1 terminal whyidle report r.json | grep -c VERDICT
NO_COLOR=1 terminal whyidle report r.json | grep -c NEXT
whyidle report r.json | grep -c VERDICT
