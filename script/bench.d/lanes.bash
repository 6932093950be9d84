# The page of a ranking, requested by four clients that pause between requests, while
# 32 clients fail to sign in; while 16 clients save lists that another PostgreSQL
# session has locked; and while 16 clients search the comments for common words. The
# p99 must be at most twice that of a quiet server.

# Writes a wrk script for each kind of client in `lanes`.
prepare_lanes() {
    local number token tokens=
    # The reader pauses between requests: on a fully loaded machine, waiting times mean nothing.
    cat >"$work/reader.lua" <<'END'
function delay() return 10 end
END
    cat >"$work/failing.lua" <<'END'
local number = 0
function request()
    number = number + 1
    return wrk.format("POST", "/api/v1/sessions", { ["Content-Type"] = "application/json" },
        '{"username": "rob", "password": "wrong ' .. number .. '"}')
end
END
    for number in {1..16}; do
        token=$(curl --silent --fail --header 'Content-Type: application/json' \
            --data "{\"username\": \"$part-$number-$$\", \"password\": \"tulip staple 42\"}" \
            "$server_url/api/v1/sessions" | member accessToken)
        tokens+="\"$token\", "
    done
    cat >"$work/saving.lua" <<END
local tokens, number = { $tokens }, 0
function request()
    number = number % #tokens + 1
    return wrk.format("PUT", "/api/v1/me/list", {
        ["Content-Type"] = "application/json", ["If-Match"] = "*",
        ["Authorization"] = "Bearer " .. tokens[number]
    }, '{"entries": [{"gameId": 1020, "platformId": $platform}]}')
end
END
    cat >"$work/words.lua" <<'END'
local words, number = { "the", "game", "and", "with", "best", "never", "story", "music" }, 0
function request()
    number = number + 1
    return wrk.format("GET", "/api/v1/entries?search=" .. words[number % #words + 1] .. "+"
        .. words[(number * 7 + 3) % #words + 1])
end
END
}

# Locks all lists of the sixteen accounts for most of a turn.
hold_lists() {
    "$postgres/psql" -Xqc "BEGIN; SELECT FROM lists WHERE user_id IN
        (SELECT id FROM users WHERE username LIKE '$part-%-$$') FOR UPDATE;
        SELECT pg_sleep($seconds); COMMIT" "$(database_url "$usual")" \
        >"$work/hold.log" &
    processes+=("$!")
    sleep 0.2
}

lanes() {
    local round page slug column name line connections=4 names=(quiet failing saving words)
    local -A titles=([quiet]=quiet [failing]='32 fail to sign in'
        [saving]='16 save locked lists' [words]='16 search for words')
    make_database "$usual"
    export SIGN_UPS_PER_ADDRESS=1000000 SIGN_IN_ATTEMPTS_PER_ADDRESS=1000000 \
        SIGN_IN_ATTEMPTS_PER_NAME=1000000
    start_server 2 "$usual"
    prepare_signing
    prepare_lanes
    slug=$(query "$usual" "SELECT slug FROM platforms WHERE id = $platform")
    page=$server_url/platforms/$slug
    : >"$work/lanes"
    for ((round = 1; round <= rounds; round++)); do
        line=
        for name in "${names[@]}"; do
            if [[ $name == saving ]]; then
                hold_lists
            fi
            if [[ $name != quiet ]]; then
                background_connections=$([[ $name == failing ]] && echo 32 || echo 16)
                background "$server_url" --script "$work/$name.lua"
            fi
            line+="$(measure_wrk "$page" wrk --threads 1 --script "$work/reader.lua" \
                "${browser_fields[@]}") "
            if [[ $name != quiet ]]; then
                wait "$background_pid"
                line+="$(awk '$1 == "Requests/sec:" { print $2 }' "$work/background.out") "
            fi
        done
        echo "$line" | awk '{ print $0, $3 / $6, $3 / $10, $3 / $14 }' >>"$work/lanes"
    done
    unset background_connections

    say "The page of a ranking, read by $connections clients that pause for 10 ms," \
        "$rounds rounds of $seconds s"
    row '' 'requests/s' 'p50 ms' 'p99 ms' 'others/s'
    column=1
    for name in "${names[@]}"; do
        result "${titles[$name]}" "$work/lanes" "$column" \
            "$([[ $name == quiet ]] || grouped "$(median "$work/lanes" $((column + 3)))")"
        ((column += $([[ $name == quiet ]] && echo 3 || echo 4)))
    done
    say "  p99 of the quiet server, against p99 while …"
    column=16
    for name in "${names[@]:1}"; do
        say "  ${titles[$name]}:"
        say_ratio "$work/lanes" "$column" 0.5
        ((column += 1))
    done
    say
    stop "$server_pid"
}
