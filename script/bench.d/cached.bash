# The page and the JSON of a ranking from memory, with PostgreSQL asked each time whether
# they are current, against nginx, which serves the same bytes with the same header
# fields from files, and against a server without a cache. All share the cores. The
# other comparisons use servers without a cache.

cached() {
    local round line cached theirs made name cached_url made_url cached_pid column=1 names=(page json)
    local -A paths=([page]=/platforms/ps4--1 [json]="/api/v1/platforms/$platform/ranking?limit=50")
    make_database "$usual"
    CACHE_MEGABYTES=64 start_server 2 "$usual"
    cached_url=$server_url
    cached_pid=$server_pid
    start_server 2 "$usual"
    made_url=$server_url
    mkdir -p "$work/www"
    : >"$work/locations.conf"
    for name in "${names[@]}"; do
        # Twice: the second response comes from memory, like all measured responses.
        for round in 1 2; do
            curl --silent --fail --dump-header "$work/$name.head" --output "$work/www/$name" \
                "${browser_fields[@]}" "$cached_url${paths[$name]}"
        done
        nginx_location "$name" "$work/$name.head" >>"$work/locations.conf"
    done
    chmod -R a+rX "$work"
    start_nginx "$work/locations.conf" 2 page
    : >"$work/cached"
    for ((round = 1; round <= rounds; round++)); do
        line=
        for name in "${names[@]}"; do
            cached=$(measure_wrk "$cached_url${paths[$name]}" wrk --threads 1 "${browser_fields[@]}")
            theirs=$(measure_wrk "$nginx_url/$name" wrk --threads 1 "${browser_fields[@]}")
            made=$(measure_wrk "$made_url${paths[$name]}" wrk --threads 1 "${browser_fields[@]}")
            line+="$(echo "$cached $theirs $made" | awk '{ print $0, $1 / $4, $1 / $7 }') "
        done
        echo "$line" >>"$work/cached"
    done

    say "Responses from memory, checked each time, all programs on the same two cores," \
        "$connections connections, $rounds rounds of $seconds s"
    for name in "${names[@]}"; do
        say "${paths[$name]}, $(stat -c %s "$work/www/$name") bytes after a header of" \
            "$(stat -c %s "$work/$name.head")"
        row '' 'requests/s' 'p50 ms' 'p99 ms' 'memory MB'
        result 'from memory' "$work/cached" "$column" "$(resident "$cached_pid")"
        result 'nginx' "$work/cached" $((column + 3)) -
        result 'made each time' "$work/cached" $((column + 6)) "$(resident "$server_pid")"
        say_ratio "$work/cached" $((column + 9)) 0.9
        say_ratio "$work/cached" $((column + 10)) 10
        column=$((column + 11))
    done
    connections=1 measure_wrk "$cached_url${paths[page]}" wrk --threads 1 "${browser_fields[@]}" |
        awk '{ printf "  One client alone waits for %.3f ms (p50); a round trip to PostgreSQL takes ", $2 }'
    echo 'SELECT 1' >"$work/ranking.sql"
    measure_pgbench "$usual" 1 1 | awk '{ printf "%.3f ms\n", $2 }'
    say
    stop "$nginx_pid"
    stop "$server_pid"
    stop "$cached_pid"
}
