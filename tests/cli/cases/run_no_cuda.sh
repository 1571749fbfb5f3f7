rc whyidle true
WHYIDLE=0 rc whyidle true
WHYIDLE_PRINT=none rc whyidle true
rc whyidle sh -c 'exit 3'
ls
