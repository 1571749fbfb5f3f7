#!/bin/sh
# Checks what libwhyidle.so exports, needs and requires:
#   exports = the rows of src/cuda/calls.def under their version nodes, six names of our own, and
#             the functions of libcupti in src/collect/cupti_calls.c;
#   NEEDED  = libc.so.6 alone;  no symbol newer than GLIBC_2.17;  -z nodelete;  one TLS pointer.
# usage: check_exports.sh LIBRARY
set -eu
lib=$1
root=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
fail() { echo "check_exports: $*" >&2; bad=1; }

# calls.def -> name@node, the newest node being the default (@@)
sed -n 's/^CALL(\([A-Za-z0-9_]*\), [^(]*, \([A-Z0-9]*\), [0-9]*)$/\1 \2/p' "$root/src/cuda/calls.def" |
while read -r name versions; do
    case $versions in
    ALL) nodes="@libcudart.so.11.0 @libcudart.so.12 @@libcudart.so.13" ;;
    UPTO12) nodes="@libcudart.so.11.0 @libcudart.so.12" ;;
    FROM12) nodes="@libcudart.so.12 @@libcudart.so.13" ;;
    V12) nodes="@libcudart.so.12" ;;
    V13) nodes="@@libcudart.so.13" ;;
    *) echo "unknown versions $versions" ; continue ;;
    esac
    for node in $nodes; do echo "$name$node"; done
done > "$tmp/wanted"
rows=$(grep -c '^CALL(' "$root/src/cuda/calls.def")
read_rows=$(sed -n 's/^CALL(\([A-Za-z0-9_]*\), .*/\1/p' "$root/src/cuda/calls.def" | wc -l)
[ "$rows" -eq "$read_rows" ] || fail "calls.def has rows in an unexpected form"
sed -n 's/^WI_EXPORT int \(cupti[A-Za-z0-9_]*\)(.*/\1/p' "$root/src/collect/cupti_calls.c" >> "$tmp/wanted"
printf '%s\n' InitializeInjection InitializeInjectionNvtx2 whyidle_singleton_v1 _exit _Exit quick_exit \
    libcudart.so.11.0 libcudart.so.12 \
    libcudart.so.13 >> "$tmp/wanted"
sort -u "$tmp/wanted" -o "$tmp/wanted"
nm -D --defined-only --with-symbol-versions "$lib" | awk '{print $3}' | sort -u > "$tmp/have"
diff "$tmp/wanted" "$tmp/have" > "$tmp/diff" || { fail "exports differ (< wanted, > exported)"; cat "$tmp/diff" >&2; }

needed=$(readelf -dW "$lib" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | tr '\n' ' ')
[ "$needed" = "libc.so.6 " ] || fail "needs: $needed"
newest=$(objdump -T "$lib" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
[ "$(printf '%s\nGLIBC_2.17\n' "$newest" | sort -V | tail -1)" = GLIBC_2.17 ] || fail "requires $newest"
readelf -dW "$lib" | grep -q NODELETE || fail "is not marked nodelete"
tls=$(readelf -lW "$lib" | awk '$1 == "TLS" {print $6}')
[ "$tls" = 0x000008 ] || fail "thread-local memory is $tls, not one pointer"
[ $bad -eq 0 ] && echo "check_exports: $(wc -l < "$tmp/have") symbols, newest $newest, needs libc only"
exit $bad
