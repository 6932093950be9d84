# How many instructions the server executes from its start to its first response, and for
# a page of a ranking, as Valgrind counts them, whatever else the machine does. The exit
# status is 1 if one differs by more than 20 % from what script/bench-instructions says.

# Runs the server under Valgrind, makes the page of a ranking so many times and stops it again; sets
# instructions to the number that it has executed.
count_instructions() {
    # Dictionaries have a random order otherwise.
    local server=(env SWIFT_DETERMINISTIC_HASHING=1 LD_PRELOAD="$work/sigsuspend.so"
        valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null
        --log-file="$work/valgrind.log" "$work/fave-server")
    start_server 1 10000
    (($1 == 0)) || curl --silent --show-error --fail --fail-early --output /dev/null \
        "${browser_fields[@]}" "$server_url/platforms/ps4--1#[1-$1]"
    stop "$server_pid"
    instructions=$(sed -n 's/,//g; s/.*I *refs: *//p' "$work/valgrind.log")
    [[ -n $instructions ]] || fail "Valgrind failed:"$'\n'"$(<"$work/valgrind.log")"
}

instructions() {
    local machine name recorded pages=50 failed=false instructions
    local -A counted=()
    local file=script/bench-instructions
    machine=$(uname -m)
    make_database 10000
    # Valgrind 3.19 can't read the debugging information, and crashes when the main thread waits in
    # sigsuspend() with a mask in read-only memory, as libdispatch's does.
    strip --strip-debug -o "$work/fave-server" "$programs/fave-server"
    clang -shared -fPIC -o "$work/sigsuspend.so" -x c - <<<'#include <unistd.h>
        int sigsuspend(const void *mask) { return pause(); }'
    count_instructions 0
    counted[start]=$instructions
    count_instructions "$pages"
    counted[page]=$(((instructions - counted[start]) / pages))

    if $record; then
        { grep -v "^$machine " "$file" || true; } >"$work/instructions"
        for name in start page; do
            echo "$machine $name ${counted[$name]}"
        done >>"$work/instructions"
        cat "$work/instructions" >"$file"
    fi
    say "Instructions on $machine"
    printf '  %-8s %16s %16s %9s\n' '' counted recorded times
    for name in start page; do
        recorded=$(awk -v key="$machine $name" '$1 " " $2 == key { print $3 }' "$file")
        awk -v name="$name" -v counted="${counted[$name]}" -v recorded="${recorded:-0}" \
            -v shown="$(grouped "${counted[$name]}")" -v before="$(grouped "${recorded:-0}")" 'BEGIN {
                if (recorded == 0) { printf "  %-8s %16s %16s\n", name, shown, "none"; exit }
                printf "  %-8s %16s %16s %9.3f\n", name, shown, before, counted / recorded
                exit (counted > 1.2 * recorded || counted < recorded / 1.2)
            }' || failed=true
    done
    say
    if $failed; then
        fail "the numbers differ by more than 20 %. If that is meant, run script/bench --record."
    fi
}
