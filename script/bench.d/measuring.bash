# Measures, and prints the results.

# The header fields that a browser sends with a request for a page.
browser_fields=(
    --header 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    --header 'Accept-Language: en-GB,en;q=0.9,de;q=0.7'
    --header 'Accept-Encoding: gzip, deflate, br, zstd'
    --header 'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    --header 'Sec-Fetch-Site: none' --header 'Sec-Fetch-Mode: navigate'
    --header 'Sec-Fetch-Dest: document' --header 'Upgrade-Insecure-Requests: 1'
    --header 'Cookie: theme=dark'
)

# Prints requests/s, median and 99th percentile in milliseconds: measure_wrk URL COMMAND…
measure_wrk() {
    local url=$1
    shift
    "$@" --connections "$connections" --duration "${seconds}s" --timeout 60s --latency "$url" \
        >"$work/wrk.out"
    if grep -E 'Non-2xx|Socket errors' "$work/wrk.out" >&2; then
        fail "some requests to $url failed, so the results would mean nothing."
    fi
    awk '
        function ms(text) {
            if (text ~ /us$/) return text / 1000
            if (text ~ /ms$/) return text + 0
            if (text ~ /s$/) return text * 1000
            return text * 60000
        }
        $1 == "50%" { median = ms($2) }
        $1 == "99%" { high = ms($2) }
        $1 == "Requests/sec:" { rate = $2 }
        END { printf "%.1f %.3f %.3f\n", rate, median, high }
    ' "$work/wrk.out"
}

pinned_wrk() (
    pinned 1 wrk --threads 1 "$@"
)

# Prints transactions/s and average latency in milliseconds: measure_pgbench SIZE CLIENTS JOBS [FILE]
measure_pgbench() {
    "$postgres/pgbench" --no-vacuum --protocol prepared --client "$2" --jobs "$3" \
        --time "$seconds" --file "${4-$work/ranking.sql}" "$(database_url "$1")" \
        >"$work/pgbench.out" 2>&1 || fail "pgbench failed:"$'\n'"$(<"$work/pgbench.out")"
    awk '
        /^tps = / { rate = $3 }
        /^latency average = / { latency = $4 }
        END { printf "%.1f %.4f\n", rate, latency }
    ' "$work/pgbench.out"
}

# Prints the CPU time, in seconds, that the PostgreSQL whose first process is $1 has used.
cpu_of_postgres() {
    local first=$1 children
    read -ra children <"/proc/$first/task/$first/children" || true
    children=("${children[@]/#//proc/}")
    # A child may end in the meantime.
    { cat "/proc/$first/stat" "${children[@]/%//stat}" 2>/dev/null || true; } | sed 's/.*) //' |
        awk -v hertz="$(getconf CLK_TCK)" '
            { sum += $12 + $13 + (NR == 1 ? $14 + $15 : 0) } END { printf "%.2f\n", sum / hertz }'
}

# The same of one process.
cpu_of() {
    sed 's/.*) //' "/proc/$1/stat" |
        awk -v hertz="$(getconf CLK_TCK)" '{ printf "%.2f\n", ($12 + $13) / hertz }'
}

# Prints the process id of the private cluster's first process.
primary_pid() {
    local status
    status=$(script/database status)
    [[ $status =~ process\ ([0-9]+) ]] || fail "PostgreSQL is not running."
    echo "${BASH_REMATCH[1]}"
}

# Writes the statement behind a ranking to ranking.sql, as a pgbench script, for our platform.
write_ranking_sql() {
    admin sql ranking --pgbench
    sed -E "s/^\\\\set platform .*/\\\\set platform $platform/" "$work/admin.log" \
        >"$work/ranking.sql"
}

# Prints the median of column $2 of file $1. `range` prints the column's least and greatest value.
median() {
    awk -v column="$2" '{ print $column }' "$1" | sort -g |
        awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }'
}

range() {
    awk -v column="$2" '{ print $column }' "$1" | sort -g |
        awk 'NR == 1 { low = $1 } END { printf "%.2f–%.2f\n", low, $1 }'
}

# Prints 1234567 as 1,234,567.
grouped() {
    awk -v n="$1" 'BEGIN {
        n = sprintf("%.0f", n)
        while (match(n, /[0-9][0-9][0-9][0-9]($|,)/))
            n = substr(n, 1, RSTART) "," substr(n, RSTART + 1)
        print n
    }'
}

# Prints the total resident memory of processes, in megabytes.
resident() {
    local process
    for process in "$@"; do
        awk '/^VmRSS:/ { print $2 }' "/proc/$process/status"
    done | awk '{ sum += $1 } END { printf "%.1f", sum / 1024 }'
}

# Prints the size of a response without content coding, in kilobytes.
kilobytes() {
    curl --silent --fail "$1" | wc -c | awk '{ printf "%.1f", $1 / 1000 }'
}

# Prints member $1, a string, of the JSON object on standard input.
member() {
    grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d'"' -f4
}

# Prints a row of a table. Without a first argument it is the heading.
row() {
    printf '  %-22s %14s %9s %9s %10s\n' "$@"
    [[ -z $1 || $2 =~ [1-9] ]] || fail "nothing was measured."
}

# Prints a row with medians of requests/s, p50 and p99, which begin at a column of a file: result NAME
# FILE COLUMN [LAST]
result() {
    row "$1" "$(grouped "$(median "$2" "$3")")" "$(median "$2" $(($3 + 1)))" \
        "$(median "$2" $(($3 + 2)))" "${4-}"
}

# Prints a ratio, and whether it reaches the aim, which is the least or the most that it should be:
# say_ratio FILE COLUMN AIM [most]
say_ratio() {
    local ratio
    ratio=$(median "$1" "$2")
    awk -v ratio="$ratio" -v range="$(range "$1" "$2")" -v rounds="$rounds" -v aim="$3" \
        -v bound="${4-least}" 'BEGIN {
        met = bound == "most" ? ratio <= aim : ratio >= aim
        printf "  ratio %.2f (median of %d rounds, %s); aim: at %s %.2f, %s\n",
            ratio, rounds, range, bound, aim, (met ? "met" : "missed")
    }'
}

# Prints what a request costs server $1, in microseconds of its CPU time and of PostgreSQL's, and the
# requests per second: cost_of PID URL ARGUMENTS…
cost_of() {
    local pid=$1 url=$2 primary rate before after
    shift 2
    primary=$(primary_pid)
    before="$(cpu_of "$pid") $(cpu_of_postgres "$primary")"
    rate=$(measure_wrk "$url" wrk --threads 1 "$@")
    after="$(cpu_of "$pid") $(cpu_of_postgres "$primary")"
    echo "$before $after ${rate%% *} $seconds" | awk '
        { n = $5 * $6 / 1e6; printf "%.2f %.2f %.1f\n", ($3 - $1) / n, ($4 - $2) / n, $5 }'
}

# Creates the sixteen accounts that sign in, and wrk's script for signing in to them.
prepare_signing() {
    local number
    for number in {1..16}; do
        curl --silent --fail --output /dev/null --header 'Content-Type: application/json' \
            --data "{\"username\": \"$part-$number-$$\", \"password\": \"tulip staple 42\"}" \
            "$server_url/api/v1/users" || fail "cannot create an account."
    done
    cat >"$work/signing.lua" <<END
local number = 0
function request()
    number = number % 16 + 1
    return wrk.format("POST", "/api/v1/sessions", { ["Content-Type"] = "application/json" },
        '{"username": "$part-' .. number .. '-$$", "password": "tulip staple 42"}')
end
END
}

# Starts clients in the background for a whole turn, sixteen or as many as background_connections
# says: background URL ARGUMENT…; sets background_pid.
background() {
    local url=$1
    shift
    wrk --threads 1 --connections "${background_connections:-16}" --timeout 60s \
        --duration "$((seconds + 2))s" "$@" "$url" >"$work/background.out" &
    background_pid=$!
    processes+=("$background_pid")
    sleep 1
}

# Waits for the clients in the background; sets background_rate to their requests per second.
await_background() {
    wait "$background_pid"
    if grep -E 'Non-2xx|Socket errors' "$work/background.out" >&2; then
        fail "some requests in the background failed."
    fi
    background_rate=$(awk '$1 == "Requests/sec:" { print $2 }' "$work/background.out")
}
