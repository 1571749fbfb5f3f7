# What cannot be printed is said, and is no success; nor does it hide a gate that failed.
fixture healthy > healthy.json
fixture loader > loader.json
mkdir job && cp loader.json job/a.json
for words in "help" "help run" "--version" "lib" "demo" "explain" "explain too-few-workers" "report loader.json" \
             "report -f json loader.json" "merge job" "merge -f json job" "check --max-stall 20 healthy.json" \
             "check --max-stall 20 loader.json"; do
    echo "--- $words"
    whyidle $words 2> err > /dev/full; echo "rc $?"; cat err
    whyidle $words 2> err >&-; echo "rc $?"; cat err
done
echo --- a reader that goes away
whyidle help | head -1; echo "${PIPESTATUS[0]}"
echo --- the job does not need it
whyidle run -q true >&-; echo "rc $?"
