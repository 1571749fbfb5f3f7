# A program that the preload cannot reach is told so.
command -v cc > /dev/null || { echo SKIP no compiler; exit 0; }
echo 'int main(void) { return 0; }' > p.c
cc -static p.c -o p 2>/dev/null || { echo SKIP no static libc; exit 0; }
whyidle doctor -- ./p | grep -A1 program
head -c 200 p > cut; chmod +x cut
whyidle doctor -- ./cut | grep -A1 program
