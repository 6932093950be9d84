# How many instructions the server executes for its start and for some requests, as Valgrind
# counts them, whatever else the machine does. The exit status is 1 if one differs by more
# than 5 % from what script/bench-instructions says. With --before, the counts are compared
# with those of the other programs instead.

counted_things=(start cached page json signed-in save)
counted_requests=100

# Prints the instructions since the last call, once the server has nothing left to do. This is so after
# half a second with no more than what the server does in any second (some 200,000), which isn't counted.
executed() {
    local last sum=0
    while :; do
        # Valgrind names its pipes by HOST, which is a setting of ours.
        HOST=127.0.0.1 vgdb --vgdb-prefix="$work/vgdb" --pid="$server_pid" dump >"$work/vgdb.log" 2>&1 ||
            fail "Valgrind failed:"$'\n'"$(cat "$work"/{vgdb,valgrind}.log)"
        last=$(sed -n 's/^totals: //p' "$work"/counts.*)
        rm "$work"/counts.*
        ((last > 500000)) || break
        ((sum += last))
        sleep 0.5
    done
    echo "$sum"
}

# Counts what a request costs the server, and sets counted[NAME] to it: count NAME ARGUMENTS…
# The arguments for curl make all requests. The first time they are not counted: they fill memory.
count() {
    local name=$1 sum
    shift
    for _ in warm counted; do
        executed >/dev/null
        curl --silent --show-error --fail --fail-early --output /dev/null "$@" ||
            fail "a request failed whose instructions are counted: $name."
        sum=$(executed)
    done
    counted[$name]=$((sum / counted_requests))
}

# Prints a configuration for curl that saves two lists of the reader in turns. The second one has
# another game in its last place.
saves_for_curl() {
    local lists number
    mapfile -t lists < <(query "$usual" "SELECT string_agg(format(
            '{\"gameId\":%s,\"platformId\":%s}', game_id, platform_id), ',' ORDER BY n)
        FROM (SELECT *, row_number() OVER (ORDER BY count DESC, platform_id, game_id) AS n
              FROM included_by LIMIT 6) i, generate_series(5, 6) AS list
        WHERE n < 5 OR n = list GROUP BY list ORDER BY list")
    for ((number = 1; number <= counted_requests; number++)); do
        ((number == 1)) || echo next
        cat <<END
url = "$server_url/api/v1/me/list"
request = PUT
silent
show-error
fail
output = /dev/null
header = "Authorization: Bearer $token"
header = "Content-Type: application/json"
header = "If-Match: *"
data = "{\"entries\": [${lists[number % 2]//\"/\\\"}]}"
END
    done
}

# Starts the server under Valgrind.
start_counted_server() {
    # Dictionaries have a random order otherwise. The other variables keep glibc and OpenSSL from
    # choosing their code by the processor.
    # shellcheck disable=SC2054 # The commas are meant.
    local server=(env SWIFT_DETERMINISTIC_HASHING=1 LD_PRELOAD="$work/sigsuspend.so"
        GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX,-BMI1,-BMI2,-LZCNT,-MOVBE,-ERMS,-FSRM
        OPENSSL_ia32cap='~0x5040000000000000:~0x80128'
        valgrind --tool=callgrind --callgrind-out-file="$work/counts" --vgdb-prefix="$work/vgdb"
        --log-file="$work/valgrind.log" "$work/fave-server")
    start_server 1 "$usual"
}

# Counts the instructions of the programs in $1, with a new database whose name begins with $2: other
# comparisons would change what pages show.
count_instructions() {
    local programs=$1 prefix=$2 server=("$1/fave-server") usual=10000 index=count cookie token
    local address=/platforms/ps4--1
    script/database drop "$prefix$usual"
    make_database "$usual"
    unfinished=$prefix$usual # so that it is dropped, even with --keep
    # Valgrind 3.19 can't read the debugging information, and crashes when the main thread waits in
    # sigsuspend() with a mask in read-only memory, as libdispatch's does.
    strip --strip-debug -o "$work/fave-server" "$programs/fave-server"
    clang -shared -fPIC -o "$work/sigsuspend.so" -x c - <<<'#include <unistd.h>
        int sigsuspend(const void *mask) { return pause(); }'

    start_server 1 "$usual"
    prepare_reader
    stop "$server_pid"

    start_counted_server
    counted[start]=$(executed)
    count page "${browser_fields[@]}" "$server_url$address#[1-$counted_requests]"
    count json "$server_url/api/v1/platforms/$platform/ranking?limit=5#[1-$counted_requests]"
    count signed-in "${browser_fields[@]/theme=dark/theme=dark; $cookie}" "$server_url/#[1-$counted_requests]"
    saves_for_curl >"$work/saves.curl"
    count save --config "$work/saves.curl"
    stop "$server_pid"

    CACHE_MEGABYTES=64 start_counted_server
    count cached "${browser_fields[@]}" "$server_url$address#[1-$counted_requests]"
    stop "$server_pid"
    script/database drop "$unfinished"
    unfinished=
}

# Prints a table of counted beside known, and adds the names to differing whose numbers differ by more than
# 5 %, and by how much: compare_counts TITLE
compare_counts() {
    local name times
    local -A titles=(
        [start]='start' [cached]='page from memory' [page]='page of a ranking'
        [json]='JSON of a ranking' [signed-in]='home page, signed in' [save]='save, with a token'
    )
    say "Instructions on $(uname -m)"
    printf '  %-22s %16s %16s %7s\n' '' counted "$1" times
    for name in "${counted_things[@]}"; do
        times=$(awk -v now="${counted[$name]}" -v before="${known[$name]:-0}" \
            'BEGIN { if (before == 0) print "none"; else printf "%.3f\n", now / before }')
        printf '  %-22s %16s %16s %7s\n' "${titles[$name]}" "$(grouped "${counted[$name]}")" \
            "$(grouped "${known[$name]:-0}")" "$times"
        # A kind of machine that isn't recorded has nothing to compare with.
        awk -v times="$times" 'BEGIN { exit times == "none" || (times <= 1.05 && times >= 1 / 1.05) }' &&
            differing+=("${titles[$name]} ($times)")
    done
    say
}

instructions() {
    local machine name recorded differing=() file=script/bench-instructions
    local -A counted=() known=()
    machine=$(uname -m)
    export SIGN_UPS_PER_ADDRESS=1000000 SIGN_IN_ATTEMPTS_PER_ADDRESS=1000000 ACCESS_TOKEN_MINUTES=60
    if [[ -n $other_programs ]]; then
        count_instructions "$other_programs" fave_counted_before_
        for name in "${counted_things[@]}"; do
            known[$name]=${counted[$name]}
        done
        count_instructions "$programs" fave_counted_
        compare_counts before
        return
    fi

    count_instructions "$programs" fave_counted_
    if $record; then
        { grep -v "^$machine " "$file" || true; } >"$work/instructions"
        for name in "${counted_things[@]}"; do
            echo "$machine $name ${counted[$name]}"
        done >>"$work/instructions"
        cat "$work/instructions" >"$file"
    fi
    while read -r _ name recorded; do
        known[$name]=$recorded
    done < <(grep "^$machine " "$file")
    compare_counts recorded
    ((${#differing[@]} == 0)) || fail "these take more or fewer instructions than in $file:" \
        "$(printf '%s, ' "${differing[@]}" | sed 's/, $//'). If that is meant, run script/bench" \
        "--record, and commit it. If not, script/bench --only instructions --before DIRECTORY" \
        "compares with the release build of another commit."
}
