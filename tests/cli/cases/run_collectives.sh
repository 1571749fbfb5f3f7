# Two ranks with collectives: rank 0 is in them four times as long as rank 1, of which three parts
# are waiting; rank 1 was late because it launches slowly.
collective() {
    sed "s/\"collectives\":\[\]/\"collectives\":[{\"name\":\"ncclDevKernel_AllReduce\",\"device\":0,\"stream\":\"7\",\"count\":2,\"total_ns\":$((2 * $1)),\"step\":1,\"duration_ns\":[$1,$1]}]/; s/\"rank\":null,\"world\":null/\"rank\":$2,\"world\":2/"
}
"$REPORT_PRINT" healthy json | collective 250000000 1 > r1.json
"$REPORT_PRINT" healthy json | collective 1000000000 0 |
    sed 's/"small-batch":2000000000/"small-batch":0/; s/"communication":0/"communication":2000000000/; s|small-batch/launch-bound":2000000000|communication/exposed-collective":2000000000|' > r0.json
export STAND_IN_ONLY=sleep
rc whyidle sh -c 'STAND_IN_REPORT=$PWD/r1.json RANK=1 sleep 0; STAND_IN_REPORT=$PWD/r0.json RANK=0 sleep 0' 2>&1 | tail -4
echo --- the latest job, in full
rc whyidle merge
