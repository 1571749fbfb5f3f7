# The option, then WHYIDLE_WIDTH, then COLUMNS, then the terminal; 40 to 100 columns, 100 where nobody says.
fixture loader > r.json
widest() { python3 -c 'import re, sys; text = re.sub(r"\x1b\[[0-9;]*m", "", sys.stdin.read()).splitlines()
print(sys.argv[1], max(len(line) for line in text if "VERDICT" not in line) <= int(sys.argv[2]),
      max(len(line) for line in text if "VERDICT" not in line) > int(sys.argv[3]))' "$@"; }
terminal() { python3 -c 'import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
while True:
    try:
        text += os.read(fd, 4096)
    except OSError:
        break
    if not text:
        break
sys.stdout.write(text.decode().replace("\r", ""))' "$@"; }
whyidle report r.json | widest pipe 100 80
COLUMNS=40 whyidle report r.json | widest columns 40 30
COLUMNS=80 WHYIDLE_WIDTH=50 whyidle report r.json | widest variable 50 40
COLUMNS=80 WHYIDLE_WIDTH=50 whyidle report --width 70 r.json | widest option 70 60
terminal whyidle report r.json | widest terminal 60 50
COLUMNS=80 terminal whyidle report r.json | widest columns-on-terminal 80 70
for columns in '' 0 -3 many 39x 99999999999999999999; do
    COLUMNS=$columns whyidle report r.json | widest "columns '$columns'" 100 80
done
COLUMNS=7 whyidle report r.json | widest least 40 30
export STAND_IN_REPORT=$PWD/r.json STAND_IN_ONLY=sh
COLUMNS=45 whyidle sh -c true 2>&1 | widest run 45 35
whyidle explain too-few-workers | widest explain 100 80
COLUMNS=50 whyidle explain too-few-workers | widest explain 50 40
