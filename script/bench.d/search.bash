# First, searches whose responses are known. Then a thousand new searches, sent to a
# stand-in for IGDB that refuses the fifth request in a second; the exit status is 1
# if it had to refuse any. Last, page reads while 16 clients search and IGDB hangs,
# against page reads while they read pages.

# Starts the stand-in for IGDB; sets igdb_url.
start_igdb() {
    mkfifo "$work/leash"
    "$programs/igdb-stand-in" <"$work/leash" >"$work/igdb.port" 2>"$work/igdb.log" &
    processes+=("$!")
    # The stand-in exits when the last writer closes the pipe, at the latest when this script ends.
    exec 9>"$work/leash"
    until [[ -s $work/igdb.port ]]; do sleep 0.1; done
    igdb_url=http://127.0.0.1:$(<"$work/igdb.port")
    export IGDB_CLIENT_ID=stand-in IGDB_CLIENT_SECRET='stand-in secret' \
        IGDB_URL=$igdb_url/v4 TWITCH_TOKEN_URL=$igdb_url/oauth2/token
}

# Prints a number from the stand-in's log: igdb_count MEMBER
igdb_count() {
    curl --silent --fail "$igdb_url/control/log" | grep -o "\"$1\":[0-9]*" | cut -d: -f2
}

search() {
    local round page alone hanging known connections=4 refused
    make_database "$usual"
    script/build -c release --product igdb-stand-in >/dev/null
    start_igdb
    start_server 2 "$usual"
    page=$server_url/@rob
    curl --silent --fail --output /dev/null "$server_url/api/v1/games?search=hollow+knight"
    known=$(measure_wrk "$server_url/api/v1/games?search=hollow+knight&limit=8" wrk --threads 2)

    # A thousand texts that no one has searched for before.
    cat >"$work/search.lua" <<'END'
local number = 0
function request()
    number = number + 1
    return wrk.format("GET", "/api/v1/games?limit=8&search=cold" .. os.time() .. "x"
        .. number % 1000)
end
END
    background "$server_url" --script "$work/search.lua"
    await_background
    refused=$(igdb_count refused)

    : >"$work/search"
    for ((round = 1; round <= rounds; round++)); do
        background "$page"
        alone=$(measure_wrk "$page" wrk --threads 1)
        await_background
        curl --silent --fail --data '{"next": [{"do": "hang", "times": 1000000}]}' \
            --header 'Content-Type: application/json' "$igdb_url/control"
        background "$server_url" --script "$work/search.lua"
        hanging=$(measure_wrk "$page" wrk --threads 1)
        await_background
        curl --silent --fail --data '{"reset": true}' \
            --header 'Content-Type: application/json' "$igdb_url/control"
        echo "$alone $hanging $background_rate" | awk '{ print $0, $3 / $6 }' >>"$work/search"
    done

    say "Searches for games, $rounds rounds of $seconds s"
    row '' 'requests/s' 'p50 ms' 'p99 ms' 'others/s'
    # shellcheck disable=SC2086 # three numbers
    row 'known responses' $known ''
    result 'page, 16 read pages' "$work/search" 1
    result 'page, IGDB hangs' "$work/search" 4 "$(grouped "$(median "$work/search" 7)")"
    say "  p99 while 16 others read, against p99 while they search and IGDB hangs:"
    say_ratio "$work/search" 8 1
    say "  IGDB refused $refused requests of the new searches."
    say
    exec 9>&-
    stop "$server_pid"
    if ((refused > 0)); then
        fail "the server sent more requests to IGDB than IGDB allows."
    fi
}
