fixture loader > loader.json
export STAND_IN_REPORT=$PWD/loader.json STAND_IN_ONLY=sh
rc whyidle sh -c 'echo output of the job; exit 0'
echo --- quiet, with a document
rc whyidle run --quiet --json out.json sh -c 'exit 0'
python3 -c 'import json; print(json.load(open("out.json"))["verdict"]["id"])'
echo --- a job that fails
rc whyidle sh -c 'echo Traceback; exit 1'
echo --- a document that cannot be written
rc whyidle run -q --json no/such/folder/x.json sh -c 'exit 0'
echo --- what is on which stream
whyidle sh -c 'echo out' 2>/dev/null
