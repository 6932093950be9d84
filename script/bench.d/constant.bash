# Five bytes, a page and an asset of 26 KB that never change, requested as a browser
# does, against nginx, which serves the same bytes with the same header fields from
# files. Each server runs on one core, the load generator on another.

# Sets `send` to the header fields that a browser sends for response $1 of `constant`. For the asset
# they accept no content coding, so that the server sends all of its bytes.
constant_fields() {
    send=("${browser_fields[@]}")
    if [[ $1 == asset ]]; then
        send=("${send[@]/gzip, deflate, br, zstd/identity}")
    fi
}

constant() {
    local round line ours theirs name send=() column=1 memory worker names=(bytes page asset)
    local -A paths=([bytes]=/ping [page]=/api/problems [asset]=/assets/site.css)
    make_database 0
    start_server 1 0 0
    mkdir -p "$work/www"
    for name in "${names[@]}"; do
        constant_fields "$name"
        curl --silent --fail --dump-header "$work/$name.head" --output "$work/www/$name" \
            "${send[@]}" "$server_url${paths[$name]}"
        nginx_location "$name" "$work/$name.head" >>"$work/locations.conf"
    done
    chmod -R a+rX "$work"
    start_nginx "$work/locations.conf"
    : >"$work/constant"
    for ((round = 1; round <= rounds; round++)); do
        line=
        for name in "${names[@]}"; do
            constant_fields "$name"
            ours=$(measure_wrk "$server_url${paths[$name]}" pinned_wrk "${send[@]}")
            theirs=$(measure_wrk "$nginx_url/$name" pinned_wrk "${send[@]}")
            line+="$(echo "$ours $theirs" | awk '{ print $0, $1 / $4 }') "
        done
        echo "$line" >>"$work/constant"
    done
    memory=$(resident "$server_pid")
    worker=$(cat "/proc/$nginx_pid/task/$nginx_pid/children" 2>/dev/null || true)

    say "Constant responses to the requests of browsers, one core each, $connections connections," \
        "$rounds rounds of $seconds s"
    for name in "${names[@]}"; do
        say "${paths[$name]}, $(stat -c %s "$work/www/$name") bytes after a header of" \
            "$(stat -c %s "$work/$name.head")"
        row '' 'requests/s' 'p50 ms' 'p99 ms' 'memory MB'
        result 'Fave Games' "$work/constant" "$column" "$memory"
        # shellcheck disable=SC2086 # a list of process ids
        result 'nginx' "$work/constant" $((column + 3)) "$(resident "$nginx_pid" $worker)"
        say_ratio "$work/constant" $((column + 6)) 1
        column=$((column + 7))
    done
    say
    stop "$nginx_pid"
    stop "$server_pid"
}
