fixture loader > r.json
whyidle report r.json | head -4
echo --- the latest of several
mkdir -p whyidle-out/1 whyidle-out/2
fixture healthy > whyidle-out/1/a.json
fixture pageable > whyidle-out/2/a.json
touch -d '2020-01-01' whyidle-out/1
whyidle report | head -1
touch -d '2020-01-01' whyidle-out/2; touch whyidle-out/1
whyidle report | head -1
ln -s 2 whyidle-out/latest
whyidle report | head -1
echo --- a folder, and one without reports
whyidle report whyidle-out/1 | head -1
WHYIDLE_OUT=whyidle-out/1 whyidle report | head -1
mkdir empty
rc whyidle report empty
rc whyidle report nothing-here
cd empty; rc whyidle report; cd ..
echo --- the document
whyidle report r.json --format=json | head -c 30; echo
whyidle report -f json r.json > copy.json; python3 -c 'import json; assert json.load(open("copy.json")) == json.load(open("r.json"))'
whyidle report --width 60 r.json | awk 'length($0) > 200' | head
