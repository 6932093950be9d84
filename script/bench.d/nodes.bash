# The CPU time that a page of a ranking costs the primary, its standbys and the server, and
# the pages a second, with one, two and three databases that share this machine: when each
# page is made, and when it comes from memory. From these figures, calculates how many
# requests that many databases would serve on machines of their own.

# Starts standby $1 of the private cluster, and adds it to standby_pids and standby_sockets.
start_standby() {
    local folder=$work/standby$1 owner run=() url pid
    owner=$(stat -c %u "/proc/$(primary_pid)")
    if ((EUID != owner)); then
        run=(setpriv --reuid "$owner" --regid "$(id -g "$owner")" --clear-groups --)
    fi
    url=$(script/database url postgres)
    mkdir "$folder"
    # The cluster's settings are included from there.
    cp "$(readlink "/proc/$(primary_pid)/cwd")/../fave-games.conf" "$folder"
    chown -R "$owner" "$folder"
    chmod 700 "$folder"
    (cd / && "${run[@]}" "$postgres/pg_basebackup" --pgdata "$folder/data" --write-recovery-conf \
        --checkpoint fast --dbname "${url/user=fave/user=postgres}") >"$work/standby$1.log" 2>&1 ||
        fail "cannot copy the database:"$'\n'"$(<"$work/standby$1.log")"
    # shellcheck disable=SC2016 # expanded by the inner shell
    (cd / && exec "${run[@]}" "$postgres/postgres" -D "$folder/data" \
        -c unix_socket_directories="$folder" -c listen_addresses='' -c hot_standby=on) \
        >>"$work/standby$1.log" 2>&1 </dev/null &
    pid=$!
    processes+=("$pid")
    standby_pids+=("$pid")
    standby_sockets+=("$folder")
    for _ in {1..100}; do
        ! "$postgres/pg_isready" --quiet --host "$folder" || return 0
        sleep 0.1
    done
    fail "the standby did not start:"$'\n'"$(<"$work/standby$1.log")"
}

# Prints what a request costs, in microseconds of CPU time of the primary, of each standby and of the
# server on process $1, and how many there were a second: cost PID URL
cost() {
    local primary pid rate before after
    primary=$(primary_pid)
    # The time of the primary, of all standbys and of the server.
    times() {
        cpu_of_postgres "$primary"
        for pid in "${standby_pids[@]}"; do
            cpu_of_postgres "$pid"
        done | awk '{ sum += $1 } END { print sum + 0 }'
        cpu_of "$1"
    }
    mapfile -t before < <(times "$1")
    rate=$(measure_wrk "$2" wrk --threads 1 "${browser_fields[@]}")
    mapfile -t after < <(times "$1")
    echo "${before[*]} ${after[*]} ${rate%% *} $seconds" | awk '
        { n = $7 * $8 / 1e6
          printf "%.2f %.2f %.2f %.1f\n", ($4 - $1) / n, ($5 - $2) / n, ($6 - $3) / n, $7 }'
}

# Prints a row of the table: the medians of what `cost` printed for $1.
print_costs() {
    printf '  %-28s %10s %10s %10s %14s\n' "$2" "$(median "$work/costs.$1" 1)" \
        "$(median "$work/costs.$1" 2)" "$(median "$work/costs.$1" 3)" \
        "$(grouped "$(median "$work/costs.$1" 4)")"
}

# Starts a server of two loops that reads from the replicas $1, if there are any.
start_nodes_server() {
    if [[ -n $1 ]]; then
        DATABASE_REPLICA_URL=$1 start_server 2 "$usual"
    else
        start_server 2 "$usual"
    fi
}

nodes() {
    local round databases replicas page name path=/platforms/ps4--1
    local -A page_urls=() page_pids=()
    standby_pids=() standby_sockets=()
    make_database "$usual"
    say "What a page of a ranking costs, $connections connections, $rounds rounds of $seconds s"
    printf '  %-28s %10s %10s %10s %14s\n' 'CPU time in µs' primary standbys server \
        'requests/s here'
    for ((databases = 1; databases <= most_databases; databases++)); do
        replicas=
        if ((databases > 1)); then
            start_standby "$((databases - 1))"
            replicas=$(IFS=, && echo "postgresql:///fave_bench_$usual?user=fave&host=${standby_sockets[*]}")
        fi
        for page in made cached; do
            case $page in
            made) DATABASE_SHARE_READS=off start_nodes_server "$replicas" ;;
            cached) CACHE=on start_nodes_server "$replicas" ;;
            esac
            page_urls[$page]=$server_url$path page_pids[$page]=$server_pid
            # Twice: the second response may come from memory.
            for round in 1 2; do
                curl --silent --fail --output /dev/null "${browser_fields[@]}" "${page_urls[$page]}"
            done
        done
        for ((round = 1; round <= rounds; round++)); do
            for page in made cached; do
                cost "${page_pids[$page]}" "${page_urls[$page]}" >>"$work/costs.$page$databases"
            done
            ((databases > 1)) ||
                connections=1 cost "${page_pids[cached]}" "${page_urls[cached]}" >>"$work/costs.alone"
        done
        for page in made cached; do
            stop "${page_pids[$page]}"
        done
        name="$databases database$( ((databases == 1)) || echo s)"
        print_costs "made$databases" "$name, made each time"
        print_costs "cached$databases" "  from memory"
        ((databases > 1)) || print_costs alone '  from memory, one client'
    done
    # One check serves all requests that wait on a loop at that moment. With many servers that may be
    # only one, so the calculation uses c, the cost of a check for one client alone. A page that is made
    # costs its database r. If N databases of k cores are busy for 70 % of the time and the part m of X
    # requests a second is made, then X c <= 0.7 k, and X (c + m r) <= 0.7 N k.
    awk -v check="$(median "$work/costs.alone" 1)" -v made="$(median "$work/costs.made1" 1)" \
        -v cached_server="$(median "$work/costs.cached1" 3)" \
        -v made_server="$(median "$work/costs.made1" 3)" '
        BEGIN {
            cores = 4
            split("1 0.5 0.1", parts, " ")
            printf "  On paper, databases of %d cores that are busy for 70 %% of the time:\n", cores
            printf "  %-10s %10s %12s %20s %14s\n", "made anew", "databases", "requests/s",
                "page views a day", "server cores"
            for (i = 1; i <= 3; i++) {
                split("1 2 3 5 9 17", counts, " ")
                for (j = 1; j <= 6; j++) {
                    all = 0.7 * counts[j] * cores * 1e6 / (check + parts[i] * made)
                    limit = 0.7 * cores * 1e6 / check
                    rate = all < limit ? all : limit
                    # The busiest second has three times the requests of the average one.
                    printf "  %-10s %10d %12d %17.0f M %14.0f%s\n", 100 * parts[i] " %", counts[j],
                        rate, rate * 86400 / 3 / 1e6,
                        rate * (parts[i] * made_server + (1 - parts[i]) * cached_server) / 0.7e6,
                        all < limit ? "" : "  the primary\47s check is the limit"
                    if (all >= limit) break
                }
            }
        }'
    say
    for name in "${standby_pids[@]}"; do
        kill -INT "$name" # ends its connections, too
        stop "$name"
    done
}
