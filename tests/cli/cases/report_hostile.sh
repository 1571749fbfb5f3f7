# Names from the job reach the terminal without control bytes, and no line is too long.
fixture hostile > r.json
for width in 40 60 100; do
    whyidle report --width $width r.json > text
    python3 - $width <<'PY'
import sys
lines = open("text", encoding="utf-8").read().splitlines()
print(max(map(len, lines[1:])) <= int(sys.argv[1]),
      all(ord(c) >= 32 and not 127 <= ord(c) < 160 for line in lines for c in line))
PY
done
