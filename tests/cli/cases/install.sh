# An installed tree works wherever it is moved to, and brings what `demo` needs.
build=${WI_BUILD:-}
[ -e "$build/src/collect/libwhyidle.so" ] && [ -x "$build/samples/demo_healthy" ] || { echo SKIP not built; exit 0; }
unset WHYIDLE_LIB
cmake --install "$build" --prefix "$PWD/first" > /dev/null || exit 1
mv first second
second/bin/whyidle lib
second/bin/whyidle --version
readelf -d second/bin/whyidle | grep -cE 'RPATH|RUNPATH'
readelf -d second/bin/whyidle | grep NEEDED | sed 's/.*\[\(.*\)\]/\1/' | grep -vE '^(libc|libdl|libm|libpthread|ld-linux.*|libasan|libubsan|libgcc_s)\.so\.[0-9]$'
ls second/lib*/whyidle/demo
find second -name 'libcuda.so.1' -o -name 'libcudart.so.13' | sed 's|.*/whyidle/||' | sort
real_preload
cat > tool.sh <<'SH'
second/bin/whyidle demo healthy | sed -n 's/^healthy: .*, on \(the [a-z]* GPU\|the GPU\).*/on a GPU/p; s/^\(VERDICT\) .*/\1/p'
SH
bash tool.sh
