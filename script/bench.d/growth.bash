# The time of the ranking statement among 10,000 and 1,000,000 entries. It must not grow:
# the exit status is 1 if it takes more than 1.5 times as long.

# Prints how many pages of the database of $1 entries the ranking statement touches when all of them are in memory.
touched_pages() {
    local try output
    {
        grep '^\\set' "$work/ranking.sql" || true
        echo 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF)'
        grep -v '^\\set' "$work/ranking.sql"
    } >"$work/explain.sql"
    for try in 1 2 3; do
        output=$("$postgres/psql" -XAt -v ON_ERROR_STOP=1 -f "$work/explain.sql" \
            "$(database_url "$1")") || fail "EXPLAIN failed, try $try."
    done
    awk '/Buffers:/ {
        gsub(/hit=|read=/, "")
        gsub(/,/, " ,")
        for (i = 3; i <= NF && $i ~ /^[0-9]+$/; i++) sum += $i
        print sum + 0
        exit
    }' <<<"$output"
}

growth() {
    local size round times first='' first_pages='' grew=false count pages
    for size in "${sizes[@]}"; do
        make_database "$size"
        : >"$work/times_$size"
    done
    write_ranking_sql
    for ((round = 1; round <= rounds; round++)); do
        for size in "${sizes[@]}"; do
            measure_pgbench "$size" 1 1 >>"$work/times_$size"
        done
    done

    say "The same statement among more entries, one client, $rounds rounds of $seconds s"
    printf '  %14s %12s %10s %8s %10s\n' entries 'mean ms' 'times' pages times
    for size in "${sizes[@]}"; do
        times=$(median "$work/times_$size" 2)
        count=$(query "$size" 'SELECT count(*) FROM entries')
        pages=$(touched_pages "$size")
        first=${first:-$times}
        first_pages=${first_pages:-$pages}
        awk -v count="$(grouped "$count")" -v time="$times" -v first="$first" -v pages="$pages" \
            -v first_pages="$first_pages" 'BEGIN {
                printf "  %14s %12.4f %10.2f %8d %10.2f\n",
                    count, time, time / first, pages, pages / first_pages
                exit (time > 1.5 * first || pages > 1.5 * first_pages)
            }' || grew=true
    done
    say
    if $grew && ! $quick; then
        fail "among more entries, a ranking costs more than 1.5 times as much."
    fi
}
