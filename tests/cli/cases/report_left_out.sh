# What a folder holds beside what is shown is said, with the command that shows it.
mkdir -p jobs/1 jobs/2 jobs/3
fixture healthy > jobs/1/a.json
fixture pageable > jobs/2/a.json
fixture loader > jobs/2/b.json
echo '{"schema":"whyidle-report/1"' > jobs/2/c.json
echo '{"schema":"whyidle-report/1"' > jobs/2/d.json
touch jobs/2/events.wit jobs/2/trace.json.gz
touch -d '2020-01-01' jobs/1 jobs/3
for command in report merge; do
    echo "--- $command"
    rc whyidle $command jobs 2>&1 > /dev/null
    rc whyidle $command jobs/2 2>&1 > /dev/null
    rc whyidle $command jobs/1 2>&1 > /dev/null
    rc whyidle $command jobs/3 2>&1 > /dev/null
    WHYIDLE_OUT=jobs whyidle $command 2>&1 > /dev/null | grep -c holds
done
echo --- check takes no part for the whole
rc whyidle check --max-stall 90 jobs 2>&1
rm jobs/2/[cd].json
rc whyidle check --max-stall 99 jobs 2>&1 | grep -v '%'
echo --- and the latest where none is named
WHYIDLE_OUT=jobs whyidle check --max-stall 99 2>/dev/null | grep -c '^PASS'
WHYIDLE_OUT=jobs whyidle check --max-stall 99 2>&1 | grep -c holds
rc whyidle check --max-stall 99 2>&1
rc whyidle check --max-stall 99 -- 2>&1
