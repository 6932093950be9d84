# A ranking, read from PostgreSQL and sent over HTTP, against pgbench, which runs the
# same prepared statement.

ranking() {
    local round ours alone theirs path url url_alone pid_alone memory
    make_database "$usual"
    write_ranking_sql
    path="/api/v1/platforms/$platform/ranking?limit=5"
    DATABASE_SHARE_READS=off start_server 2 "$usual"
    url_alone=$server_url$path
    pid_alone=$server_pid
    start_server 2 "$usual"
    url=$server_url$path
    : >"$work/rates"
    for ((round = 1; round <= rounds; round++)); do
        ours=$(measure_wrk "$url" wrk --threads 2)
        alone=$(measure_wrk "$url_alone" wrk --threads 2)
        theirs=$(measure_pgbench "$usual" 16 2)
        echo "$ours $alone $theirs" |
            awk -v b="${theirs%% *}" '{ print $0, $1 / b, $4 / b }' >>"$work/rates"
    done
    memory=$(resident "$server_pid")

    say "Top 5 of a platform from PostgreSQL, among $(grouped "$(query "$usual" 'SELECT count(*) FROM entries')")" \
        "entries, $rounds rounds of $seconds s"
    row '' 'requests/s' 'p50 ms' 'p99 ms' 'memory MB'
    result 'Fave Games, 2 loops' "$work/rates" 1 "$memory"
    result '  without sharing' "$work/rates" 4 "$(resident "$pid_alone")"
    row 'pgbench, 16 clients' "$(grouped "$(median "$work/rates" 7)")" \
        "mean $(median "$work/rates" 8)" '' ''
    say_ratio "$work/rates" 9 1
    say "  Identical reads that wait together are sent only once. With DATABASE_SHARE_READS=off:"
    say_ratio "$work/rates" 10 1
    say
    stop "$server_pid"
    stop "$pid_alone"
}
