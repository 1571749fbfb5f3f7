rc whyidle true
rc whyidle sh -c 'exit 3'
ls
