# One line, the file, the place, status 2, and nothing on standard output.
try() { echo "--- $1"; rc whyidle report "$2" 2>&1 | sed "s/at byte [0-9]*/at byte N/"; }
fixture loader > good.json
head -c 700 good.json > cut.json;                                    try truncated cut.json
: > empty.json;                                                      try empty empty.json
printf '\x00\x01\x02binary' > binary;                                try binary binary
sed 's|whyidle-report/1|whyidle-report/9|' good.json > new.json;     try 'a newer schema' new.json
echo '{"schema":7}' > schema.json;                                   try 'a schema that is no text' schema.json
sed 's/"share":[0-9.]*/"share":NaN/' good.json > nan.json;           try NaN nan.json
sed 's/"share":[0-9.]*/"share":1e400/' good.json > inf.json;         try 'an infinite number' inf.json
sed 's/"ops":[0-9]*/"ops":99999999999999999999/' good.json > big.json; try 'a huge number' big.json
sed 's/"ops":[0-9]*/"ops":9223372036854775807/' good.json > big2.json; try 'a large number' big2.json
sed 's/"ops":[0-9]*/"ops":-1/' good.json > neg.json;                 try 'a negative count' neg.json
sed 's/"ops":[0-9]*/"ops":"many"/' good.json > text.json;            try 'a text for a number' text.json
sed 's/"ops":[0-9]*,//' good.json > missing.json;                    try 'a missing key' missing.json
sed 's/"compute":[0-9]*/"compute":1/' good.json > sums.json;         try 'sums that do not hold' sums.json
sed 's|too-few-workers|too-few-cookies|g' good.json > id.json;       try 'an unknown sub-cause' id.json
sed 's/"confidence":"high"/"confidence":"sure"/' good.json > word.json; try 'an unknown word' word.json
sed 's/"finding":0/"finding":9/' good.json > index.json;             try 'an index out of range' index.json
python3 -c 'print("{\"schema\":" + "[" * 100000)' > deep.json;       try 'deep nesting' deep.json
python3 -c 'print("{\"schema\":\"whyidle-report/1\",\"x\":" + "[" * 100 + "]" * 100 + "}")' > deep2.json; try nesting deep2.json
printf '{"schema":"whyidle-report/1","job":"\xff\xfe"}' > utf8.json;  try 'invalid UTF-8' utf8.json
cat good.json good.json > twice.json;                                try 'two documents' twice.json
mkdir folder;                                                        try 'an empty folder' folder
cp cut.json folder/x.json;                                           try 'a folder with a broken report' folder
printf 'WITRACE2 what is to come' > next.wit;                             try 'a later event trace' next.wit
mkfifo pipe;                                                          try 'a pipe that nobody writes to' pipe
try 'a device' /dev/null
try 'a missing file' missing/file.json
chmod 000 good.json; [ -r good.json ] || try 'an unreadable file' good.json
echo "--- the place is right: 700 bytes in the file; the token behind byte 35; the end of a value"
whyidle report cut.json
printf '{"schema":"whyidle-report/1","job":NaN}' > place.json; whyidle report place.json
printf '{"schema":"whyidle-report/1","job":12}' > place.json; whyidle report place.json
