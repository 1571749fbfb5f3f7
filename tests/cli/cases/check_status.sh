for name in loader healthy host_only nothing untraced two_devices extreme; do fixture $name > $name.json; done
echo --- 0 pass
rc whyidle check --max-stall 20 --min-compute 90 --max data-loading=5 --max transfer/pageable-copy=1 healthy.json
echo --- 1 fail
rc whyidle check --max-stall 20 loader.json
rc whyidle check --max data-loading=70 --max transfer=1.5 loader.json
rc whyidle check --max too-few-workers=70 loader.json
rc whyidle check --min-compute 30 loader.json
rc whyidle check --max-stall 100 --min-compute 30 loader.json
echo --- the bound itself passes
rc whyidle check --max-stall 5 --min-compute 95 --max small-batch=3.34 healthy.json
echo --- the worst device counts
rc whyidle check --max-stall 20 two_devices.json
rc whyidle check --max-stall 50 two_devices.json
echo --- 2 bad input
rc whyidle check --max-stall 20 missing.json
echo '{"schema":1}' > bad.json
rc whyidle check --max-stall 20 bad.json
echo --- 3 inconclusive
rc whyidle check --max-stall 20 host_only.json
rc whyidle check --max-stall 20 nothing.json
rc whyidle check --no-gpu=skip --max-stall 20 nothing.json
rc whyidle check --no-gpu skip --max-stall 20 host_only.json
rc whyidle check --max-stall 20 extreme.json
sed 's/"end":"exited","status":0/"end":"running","status":null/' healthy.json > running.json
rc whyidle check --max-stall 20 running.json
echo --- half of the window is not known: 20 % stalls may be 70 %
rc whyidle check --max-stall 60 untraced.json
rc whyidle check --max-stall 75 untraced.json
rc whyidle check --max-stall 19 untraced.json
rc whyidle check --min-compute 50 untraced.json
rc whyidle check --min-compute 85 untraced.json
rc whyidle check --max unknown=40 untraced.json
echo --- 4 the job failed
sed 's/"end":"exited","status":0/"end":"exited","status":1/' healthy.json > failed.json
rc whyidle check --max-stall 20 failed.json
sed 's/"end":"exited","status":0/"end":"signaled","status":15/' healthy.json > killed.json
rc whyidle check --max-stall 20 killed.json
