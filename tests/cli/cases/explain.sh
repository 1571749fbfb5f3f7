echo "--- the list, and one class of it"
whyidle explain --width 80 | head -8
whyidle explain transfer | tail -9 | head -3
echo "--- one sub-cause"
rc whyidle explain --width 100 data-loading/too-few-workers
echo "--- rules, limits, braces, a note where it never helps"
whyidle explain launch-bound | grep -E "RUN_CALLS|graphs: true"
whyidle explain debug-switch | grep -A3 "SEEN WHEN"
whyidle explain untraced | grep -c "NO HELP IF"
echo "--- every one can be explained, within the width"
for id in $(whyidle explain | awk '/^  [a-z]/ {print $1}' | sort -u); do
    whyidle explain --width 60 "$id" > "$id.txt" || echo "$id fails"
    grep -q "^WHAT TO DO" "$id.txt" && grep -q "^PyTorch " "$id.txt" && grep -q "^CUDA C++ " "$id.txt" &&
        grep -q "^CHECK IT" "$id.txt" && grep -q "^SEEN WHEN" "$id.txt" || echo "$id is not complete"
    awk -v id="$id" 'length($0) > 60 {print id ": too wide: " $0}' "$id.txt"
done
echo "--- what is not there"
rc whyidle explain to-few-workers
rc whyidle explain worker
rc whyidle explain compute
rc whyidle explain xyzzy
rc whyidle explain paced logging
