#!/bin/sh
# Checks what loading libwhyidle.so costs a process that never uses CUDA (src/collect/load.c):
#   PAGES        of the file that the loader writes, each a fault and a copy of 2 us or more: where
#                relocations are, and where .bss begins;
#   RELOCATIONS  of addresses, which the loader adds up one by one (100 take about 1 us): a large
#                table of words is a switch, not an array of pointers;
#   load.c       calls nothing that glibc before 2.34 keeps in other libraries than libc: where no
#                one has loaded those, the process ends with "undefined symbol".
# The first two are what the library has now, and a little room; a process may be 100 us slower.
# usage: check_load.sh LIBRARY LOAD_OBJECT
set -eu
lib=$1 object=$2
root=$(cd "$(dirname "$0")/.." && pwd)
PAGES=4 RELOCATIONS=850
bad=0
fail() { echo "check_load: $*" >&2; bad=1; }

pages=$({
    readelf -rW "$lib" | sed -n 's/^\([0-9a-f]\{16\}\)  .* R_.*/\1/p'
    readelf -SW "$lib" | sed -n 's/.* \.bss  *NOBITS  *\([0-9a-f]\{16\}\) .*/\1/p'
} | sed 's/...$//' | sort -u | wc -l)
[ "$pages" -gt 0 ] || fail "no relocations were read"
[ "$pages" -le $PAGES ] || fail "the loader writes $pages pages of the library, at most $PAGES are allowed"
relocations=$(readelf -rW "$lib" | grep -c '_RELATIVE ' || true)
[ "$relocations" -le $RELOCATIONS ] ||
    fail "$relocations addresses are relocated in every process, at most $RELOCATIONS are allowed"
for name in $(sed -n 's/^WI_OLDEST(\(.*\));$/\1/p' "$root/src/base/glibc.h"); do
    ! nm -u "$object" | grep -qw "$name" || fail "load.c calls $name, which old systems have elsewhere"
done
nm -u "$object" | grep -qw getenv || fail "$object is not what is built of load.c"
[ $bad -eq 0 ] && echo "check_load: $pages pages and $relocations relocations in a process without CUDA"
exit $bad
