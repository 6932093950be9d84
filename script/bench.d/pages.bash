# The pages of a list and of a ranking and the home page, requested as a browser does,
# against the JSON of 50 ranked games.

pages() {
    local round name line username slug column=1
    local names=(json list ranking home)
    local -A addresses=()
    make_database "$usual"
    start_server 2 "$usual"
    username=$(query "$usual" "SELECT u.username FROM users u JOIN entries e
        ON e.user_id = u.id WHERE u.visibility = 'public' GROUP BY u.id, u.username
        HAVING count(*) = 5 ORDER BY u.username LIMIT 1")
    slug=$(query "$usual" "SELECT slug FROM platforms WHERE id = $platform")
    addresses[json]="$server_url/api/v1/platforms/$platform/ranking?limit=50"
    addresses[list]=$server_url/@$username
    addresses[ranking]=$server_url/platforms/$slug
    addresses[home]=$server_url/
    : >"$work/pages"
    for ((round = 1; round <= rounds; round++)); do
        line=
        for name in "${names[@]}"; do
            line+="$(measure_wrk "${addresses[$name]}" wrk --threads 2 "${browser_fields[@]}") "
        done
        echo "$line" | awk '{ print $0, $4 / $1, $7 / $1, $10 / $1 }' >>"$work/pages"
    done

    say "Pages as a browser requests them, in gzip, $connections connections," \
        "$rounds rounds of $seconds s"
    row '' 'requests/s' 'p50 ms' 'p99 ms' 'KB'
    for name in "${names[@]}"; do
        result "$name" "$work/pages" "$column" "$(kilobytes "${addresses[$name]}")"
        column=$((column + 3))
    done
    for name in "${names[@]:1}"; do
        say "  $name, against the JSON of 50 ranked games:"
        say_ratio "$work/pages" "$column" 0.33
        column=$((column + 1))
    done
    say
    stop "$server_pid"
}
