rc whyidle report --frmat json
rc whyidle report --format xml r.json
rc whyidle report --format
rc whyidle report a.json b.json
rc whyidle check
rc whyidle check r.json
rc whyidle check --max-stall 20
rc whyidle check --max-stall 101 r.json
rc whyidle check --max-stall nan r.json
rc whyidle check --max-stall -5 r.json
rc whyidle check --max data-loadin=5 r.json
rc whyidle check --max data-loading r.json
rc whyidle check --no-gpu=maybe --max-stall 5 r.json
rc whyidle run
rc whyidle run --color=pink true
rc whyidle run --quiet=1 true
rc whyidle run --width=wide true
rc whyidle run --json= true
rc whyidle --no-such-option
rc whyidle help nothing
rc whyidle demo nothing
rc whyidle --version
rc whyidle lib
