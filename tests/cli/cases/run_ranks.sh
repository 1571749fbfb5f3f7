# Several processes that used CUDA: rank 0 in full, a line for each.
"$REPORT_PRINT" loader json > r0.json
"$REPORT_PRINT" healthy json | sed 's/"rank":null,"world":null/"rank":1,"world":2/' > r1.json
export STAND_IN_ONLY=sleep
rc whyidle sh -c 'STAND_IN_REPORT=$PWD/r1.json RANK=1 sleep 0; STAND_IN_REPORT=$PWD/r0.json RANK=0 sleep 0'
echo --- every rank in full
WHYIDLE_PRINT=all rc whyidle sh -c 'STAND_IN_REPORT=$PWD/r1.json RANK=1 sleep 0; STAND_IN_REPORT=$PWD/r0.json RANK=0 sleep 0' 2>&1 | grep -E '^(VERDICT|NEXT|rc)'
