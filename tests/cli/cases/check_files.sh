export CUDA_VISIBLE_DEVICES=
fixture loader > 'l<o>a&der.json'
fixture healthy > healthy.json
fixture host_only > host_only.json
see() { python3 - <<'PY'
import xml.etree.ElementTree as tree
suite = tree.parse("r.xml").getroot()
print(suite.tag, {k: v for k, v in suite.attrib.items()})
for case in suite:
    for element in case:
        print(" ", case.get("name"), element.tag, element.get("message") or element.text)
PY
}
rc whyidle check --max-stall 20 --min-compute 10 --junit r.xml 'l<o>a&der.json' > /dev/null; see
rc whyidle check --max-stall 20 --junit r.xml healthy.json > /dev/null; see
rc whyidle check --max-stall 20 --junit r.xml host_only.json > /dev/null; see
rc whyidle check --max-stall 20 --no-gpu=skip --junit r.xml -- true > /dev/null; see
rc whyidle check --max-stall 20 --junit no/such/folder.xml healthy.json
echo before > summary.md
GITHUB_STEP_SUMMARY=$PWD/summary.md whyidle check --max-stall 20 healthy.json > /dev/null
GITHUB_STEP_SUMMARY=$PWD/summary.md whyidle check --max-stall 20 'l<o>a&der.json' > /dev/null
cat summary.md
