# Saves of lists of five games by 16 clients, through the API with a token; each save
# replaces another game. Against pgbench, whose 16 clients call the same function.

# Makes 64 accounts with lists of games from the odd places in the rankings, and writes saves.lua. Its
# clients and those of saves.sql replace one of the games by one from the even places. Each client of
# pgbench has four lists to itself: it does not try again when another one has changed the list.
prepare_saves() {
    local number account url lists pool tokens=
    for number in {1..64}; do
        account="{\"username\": \"saver-$number-$$\", \"password\": \"tulip staple 42\"}"
        curl --silent --fail --output "$work/account" --header 'Content-Type: application/json' \
            --data "$account" "$server_url/api/v1/users"
        tokens+="\"$(curl --silent --fail --header 'Content-Type: application/json' \
            --data "$account" "$server_url/api/v1/sessions" | member accessToken)\", "
    done
    url=$(database_url "$usual")
    "$postgres/psql" -Xq "$url" >"$work/saves.log" <<END
        DROP TABLE IF EXISTS bench_lists, bench_pool;
        CREATE TEMP TABLE ranked AS
            SELECT platform_id, game_id, row_number() OVER (ORDER BY count DESC) AS n
            FROM included_by ORDER BY count DESC LIMIT 2000;
        CREATE TABLE bench_pool AS
            SELECT n / 2 AS n, platform_id, game_id FROM ranked WHERE n % 2 = 0;
        CREATE TABLE bench_lists AS
            SELECT u.n, u.id AS owner, array_agg(r.platform_id ORDER BY r.n) AS platforms,
                   array_agg(r.game_id ORDER BY r.n) AS games
            FROM (SELECT split_part(username, '-', 2)::integer AS n, id FROM users
                  WHERE username LIKE 'saver-%-$$') u
            JOIN ranked r ON r.n % 2 = 1 AND r.n / 2 % 64 = u.n - 1 AND r.n / 128 < 5
            GROUP BY u.n, u.id;
        VACUUM ANALYZE bench_pool, bench_lists;
END
    lists=$("$postgres/psql" -XAtc "SELECT '{' || string_agg('\"{\\\"gameId\\\":' || game
        || ',\\\"platformId\\\":' || platform || '}\"', ',' ORDER BY place) || '},'
        FROM bench_lists, unnest(platforms, games) WITH ORDINALITY AS p (platform, game, place)
        GROUP BY n ORDER BY n" "$url")
    pool=$("$postgres/psql" -XAtc "SELECT '\"{\\\"gameId\\\":' || game_id
        || ',\\\"platformId\\\":' || platform_id || '}\",' FROM bench_pool" "$url")
    cat >"$work/saves.lua" <<END
local tokens, lists, pool = { $tokens }, { $lists }, { $pool }
local number = 0
function request()
    number = number + 1
    local user = number % #tokens + 1
    local entries = { unpack(lists[user]) }
    entries[math.random(5)] = pool[math.random(#pool)]
    return wrk.format("PUT", "/api/v1/me/list", {
        ["Content-Type"] = "application/json", ["If-Match"] = "*",
        ["Authorization"] = "Bearer " .. tokens[user]
    }, '{"entries": [' .. table.concat(entries, ",") .. ']}')
end
END
}

saves() {
    local round ours theirs connections=16
    make_database "$usual"
    export SIGN_UPS_PER_ADDRESS=1000000 SIGN_IN_ATTEMPTS_PER_ADDRESS=1000000 \
        ACCESS_TOKEN_MINUTES=60
    start_server 2 "$usual"
    prepare_saves
    : >"$work/saves"
    for ((round = 1; round <= rounds; round++)); do
        ours=$(measure_wrk "$server_url" wrk --threads 1 --script "$work/saves.lua")
        theirs=$(measure_pgbench "$usual" 16 2 script/bench.d/saves.sql)
        echo "$ours $theirs" | awk '{ print $0, $1 / $4 }' >>"$work/saves"
    done
    say "Lists saved through the API, $rounds rounds of $seconds s"
    row '' 'saves/s' 'p50 ms' 'p99 ms' ''
    result 'Fave Games, 2 loops' "$work/saves" 1
    row 'pgbench, 16 clients' "$(grouped "$(median "$work/saves" 4)")" \
        "mean $(median "$work/saves" 5)" '' ''
    say_ratio "$work/saves" 6 0.5
    say
    stop "$server_pid"
}
