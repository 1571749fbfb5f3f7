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
rc whyidle run -w 39 true
rc whyidle run -w 101 true
rc whyidle run -w -5 true
rc whyidle run -w 60x true
rc whyidle run --json= true
rc whyidle --no-such-option
rc whyidle help nothing
fixture loader > loader.json
whyidle report -fjson loader.json | head -1
whyidle report -w60 loader.json | head -1
rc whyidle report -fxml loader.json
rc whyidle run -qx true
rc whyidle demo nothing
rc whyidle --version
rc whyidle lib
rc whyidle lib more
rc whyidle version more
rc whyidle help run check
rc whyidle demo loader loader
rc whyidle merge one two
echo --- nothing asked for: help on stderr
rc whyidle 2> help.txt
whyidle help | cmp - help.txt
echo --- a program that cannot be started is wrong usage, not a job that failed
rc whyidle check --max-stall 20 -- no-such-program
rc whyidle check --max-stall 20 -- ./help.txt
