# Uncached reads and pages, against a server that makes the same responses with the same
# statements: by hyper and tokio-postgres, built from Debian's packages. Both read a
# hundred different things in turns, so that nothing is shared.

# Builds the program in script/bench.d/peer; sets peer to it. A toolchain of rustup isn't used.
build_peer() {
    local folder=$root/.build/peer
    peer=$folder/target/release/peer
    mkdir -p "$folder"
    # Where Cargo may write: the versions depend on Debian's, and change with them.
    cp -pr script/bench.d/peer/. "$folder"
    rm -f "$folder/Cargo.lock"
    (
        unset "${!CARGO@}" "${!RUST@}"
        cd "$folder"
        CARGO_HOME=$folder/home RUSTC=/usr/bin/rustc /usr/bin/cargo build --release --offline \
            --config 'source.crates-io.replace-with="debian"' \
            --config 'source.debian.directory="/usr/share/cargo/registry"' >cargo.log 2>&1
    ) || fail "the peer could not be built:"$'\n'"$(<"$folder/cargo.log")"
}

# Writes what the peer needs to know of our server, which runs, and starts the peer; sets peer_pid and
# peer_url.
start_peer() {
    local name port folder=$work/peer
    mkdir -p "$folder"
    for name in ranking past-ranks list; do
        admin sql "$name"
        cp "$work/admin.log" "$folder/$name.sql"
    done
    if ! curl --silent --show-error --fail --output "$folder/platforms.json" \
        "$server_url/api/v1/platforms" ||
        ! curl --silent --show-error --fail --dump-header "$folder/ranking.head" --output /dev/null \
            "$server_url${peer_reads[0]}" ||
        ! curl --silent --show-error --fail --dump-header "$folder/list.head" \
            --output "$folder/list.html" "$server_url${peer_pages[0]}"; then
        fail "our server doesn't give the peer what it needs."
    fi
    port=$(free_port)
    DATABASE_URL=$(database_url "$usual") PUBLIC_URL=${server_url/127.0.0.1/localhost} \
        "$peer" "$folder" "$port" 2 </dev/null >"$work/peer.log" 2>&1 &
    peer_pid=$!
    processes+=("$peer_pid")
    peer_url=http://127.0.0.1:$port
    wait_for "$peer_pid" "$peer_url${peer_reads[0]}"
}

# Fails if the two servers respond differently: in more than what is sealed or counted, and the time.
compare_responses() {
    local path
    for path in "${peer_reads[@]}" "${peer_pages[@]}"; do
        comparable "$server_url$path" >"$work/ours.txt"
        comparable "$peer_url$path" >"$work/theirs.txt"
        diff "$work/ours.txt" "$work/theirs.txt" >"$work/difference" || fail "the peer responds differently" \
            "to $path: script/bench.d/peer has to follow our server."$'\n'"$(head -c 2000 "$work/difference")"
    done
}

# Prints a response with its sorted fields, without what differs between any two.
comparable() {
    curl --silent --show-error --fail --dump-header "$work/comparable.head" --output "$work/comparable" "$1"
    tr -d '\r' <"$work/comparable.head" |
        sed -E 's/^[^:]*:/\L&/; s/^(date|etag|x-request-id): .*/\1/; s/^(ratelimit): .*/\1/
            s/cursor=[^>]*/cursor=X/' | sort
    sed -E 's/"(nextCursor)":"[^"]*"/"\1":"X"/' "$work/comparable"
}

# Writes wrk's script that requests the given paths in turns.
in_turns() {
    local path
    printf 'local paths = {\n'
    for path in "$@"; do
        printf '"%s",\n' "$path"
    done
    cat <<'END'
}
local number = 0
function request()
    number = number % #paths + 1
    return wrk.format("GET", paths[number])
end
END
}

peer() {
    local round name peer_reads peer_pages ours theirs
    # As many as there can be, so that the limits are counted but never reached.
    local -x API_READS_PER_MINUTE=1000000 PAGES_PER_MINUTE=1000000
    build_peer
    make_database "$usual"
    mapfile -t peer_reads < <(query "$usual" "SELECT format(
            '/api/v1/platforms/%s/ranking?limit=%s', platform_id, games)
        FROM (SELECT platform_id FROM included_by WHERE count > 0
              GROUP BY platform_id ORDER BY count(*) DESC, platform_id LIMIT 20) p,
            generate_series(3, 7) AS games ORDER BY games, platform_id")
    mapfile -t peer_pages < <(query "$usual" "SELECT format('/@%s/embed', u.username)
        FROM users u JOIN entries e ON e.user_id = u.id AND e.audience = 'public'
        WHERE u.visibility = 'public' GROUP BY u.username HAVING count(*) = 5
        ORDER BY u.username LIMIT 100")
    start_server 2 "$usual"
    start_peer
    compare_responses
    in_turns "${peer_reads[@]}" >"$work/read.lua"
    in_turns "${peer_pages[@]}" >"$work/page.lua"
    for ((round = 1; round <= rounds; round++)); do
        for name in read page; do
            ours=$(cost_of "$server_pid" "$server_url" --script "$work/$name.lua")
            theirs=$(cost_of "$peer_pid" "$peer_url" --script "$work/$name.lua")
            echo "$ours $theirs" | awk '{ print $0, $1 / $4, $3 / $6 }' >>"$work/peer.$name"
        done
    done

    say "Uncached responses beside hyper with tokio-postgres, $connections connections," \
        "$rounds rounds of $seconds s"
    for name in read page; do
        if [[ $name == read ]]; then
            say "JSON of a ranking, $(kilobytes "$server_url${peer_reads[40]}") KB"
        else
            say "Page of a list, $(kilobytes "$server_url${peer_pages[40]}") KB"
        fi
        printf '  %-22s %14s %16s %14s\n' '' 'requests/s' 'server CPU µs' 'PostgreSQL µs'
        peer_row 'Fave Games, 2 loops' "$work/peer.$name" 1
        peer_row 'hyper, 2 threads' "$work/peer.$name" 4
        say "  CPU of the server, ours against hyper's:"
        say_ratio "$work/peer.$name" 7 1 most
        say "  requests per second:"
        say_ratio "$work/peer.$name" 8 1
    done
    say
    stop "$server_pid"
    stop "$peer_pid"
}

# Prints what cost_of has printed into file $2 from column $3 on.
peer_row() {
    printf '  %-22s %14s %16s %14s\n' "$1" "$(grouped "$(median "$2" $(($3 + 2)))")" "$(median "$2" "$3")" \
        "$(median "$2" $(($3 + 1)))"
}
