export CUDA_VISIBLE_DEVICES=
fixture loader > loader.json
fixture healthy > healthy.json
export STAND_IN_ONLY=sh
STAND_IN_REPORT=$PWD/healthy.json rc whyidle check --max-stall 20 -- sh -c 'echo the job'
STAND_IN_REPORT=$PWD/loader.json rc whyidle check --max-stall 20 -- sh -c 'exit 0'
STAND_IN_REPORT=$PWD/loader.json rc whyidle check --max-stall 20 -- sh -c 'exit 9'
STAND_IN_REPORT=$PWD/loader.json rc whyidle check --max-stall 20 -- sh -c 'kill -TERM $$'
echo --- no CUDA
rc whyidle check --max-stall 20 -- true
rc whyidle check --max-stall 20 --no-gpu=skip -- true
rc whyidle check --max-stall 20 --no-gpu=skip -- false
rc whyidle check --max-stall 20 -- ./no-such-program
WHYIDLE_LIB=missing.so rc whyidle check --max-stall 20 -- true
echo --- every rank counts
sed -i 's/"rank":0,"world":1/"rank":1,"world":2/' loader.json
sed -i 's/"rank":null,"world":null/"rank":0,"world":2/' healthy.json
rc whyidle check --max-stall 20 -- sh -c 'STAND_IN_ONLY=sleep; export STAND_IN_ONLY
    STAND_IN_REPORT=$PWD/healthy.json sleep 0; STAND_IN_REPORT=$PWD/loader.json sleep 0'
