# Every read of the API and every page, one client alone, among 10,000 and 1,000,000
# entries. The exit status is 1 if one takes more than 1.2 times as long among the most
# as among the fewest, and more than 25 ms.

# Sets the people and things that `routes` reads. They are among the first 10,000 entries, which every
# database has.
choose_what_is_read() {
    local size=${sizes[0]}
    user=$(query "$size" "SELECT u.username FROM users u JOIN follows f ON f.followed_id = u.id
        WHERE u.visibility = 'public' AND EXISTS (SELECT FROM snapshots WHERE user_id = u.id)
          AND (SELECT count(*) FROM entries WHERE user_id = u.id) = 5
        GROUP BY u.id ORDER BY count(*) DESC, u.username LIMIT 1")
    snapshot=$(query "$size" "SELECT max(slug) FROM snapshots k JOIN users u ON u.id = k.user_id
        WHERE u.username = '$user'")
    game=$(query "$size" "SELECT game_id FROM included_by
        WHERE platform_id = $platform ORDER BY count DESC, game_id LIMIT 1")
    circle=$(query "$size" "SELECT c.id FROM circles c JOIN circle_members m ON m.circle_id = c.id
        WHERE c.visibility = 'public' GROUP BY c.id ORDER BY count(*) DESC, c.id LIMIT 1")
    circle_slug=$(query "$size" "SELECT slug FROM circles WHERE id = '$circle'")
}

# Prints the reads that anyone can make, as the server on the database of $1 entries has them. A test
# looks for the address of every route among the lines that begin with a slash.
public_reads() {
    local last entry owner cursor next='' previous
    last=$(query "$1" "SELECT game_id FROM included_by
        WHERE platform_id = $platform AND count > 0 ORDER BY count, game_id LIMIT 1")
    owner=$(query "$1" "SELECT user_digest(id) FROM users WHERE username = '$user'")
    entry=$(query "$1" "SELECT e.id FROM entries e JOIN users u ON u.id = e.user_id
        WHERE u.username = '$user' ORDER BY e.position LIMIT 1")
    # The fifth page of a ranking, and the page before it.
    for _ in {1..5}; do
        cursor=$next
        curl --silent --fail --output "$work/page" \
            "$server_url/api/v1/platforms/$platform/ranking?limit=10${cursor:+&cursor=$cursor}"
        next=$(member nextCursor <"$work/page") || fail "a ranking is too short to be measured."
    done
    previous=$(member previousCursor <"$work/page")
    cat <<END
/
/home/card-0.png
/platforms
/platforms?search=play
/platforms/ps4--1
/platforms/ps4--1/games/$game
/platforms/ps4--1/games/$last
/platforms/ps4--1/feed
/platforms/ps4--1/share
/platforms/ps4--1/card-0.png
/games
/games?search=z
/games?search=ma
/games?search=mario
/games?search=the
/games?search=zleda
/games/$game
/games/$last
/entries
/entries?platform=$platform
/entries?game=$game
/entries?game=$last
/entries?rating=5
/entries?rating=1&platform=$platform
/entries?tag=cosy
/entries?search=the
/entries?search=the+best
/entries?search=cartridge
/entries?gameName=mario
/entries?gameName=ma&search=the
/entries?gameName=mario&rating=1&tag=cosy
/entries?username=$user
/users
/users?search=a
/users?search=an
/users?search=ann
/users?search=anna+el
/@$user
/@$user/similar
/@$user/feed
/@$user/embed
/@$user/share
/@$user/card-0.png
/@$user/$snapshot
/@$user/$snapshot/share
/@$user/$snapshot/card-0.png
/circles/$circle_slug
/circles/$circle_slug?from=31
/circles/$circle_slug/platforms/ps4--1
/circles/$circle_slug/card-0.png
/report?username=$user
/sign-in
/sign-in/recover
/sign-up
/sign-out
/sitemap.xml
/sitemap.xml?part=lists-0
/oembed?url=${server_url/127.0.0.1/localhost}/@$user
/health
/.well-known/change-password
/.well-known/jwks.json
/api/v1/openapi.json
/api/v1/platforms
/api/v1/platforms/$platform
/api/v1/platforms/$platform/ranking?limit=100
/api/v1/platforms/$platform/ranking?limit=10&cursor=$cursor
/api/v1/platforms/$platform/ranking?limit=10&cursor=$previous
/api/v1/platforms/$platform/ranking/cards
/api/v1/platforms/$platform/games/$game/entries
/api/v1/games?search=ma&platform=$platform
/api/v1/games?search=mario&platform=$platform
/api/v1/games/$game
/api/v1/games/$game/related
/api/v1/games/$last/related
/api/v1/games/$game/standings
/api/v1/entries?limit=100
/api/v1/entries/$entry
/api/v1/entries/$entry/heart
/api/v1/lists?limit=50
/api/v1/users?search=ma
/api/v1/users/$user
/api/v1/users/$user/list
/api/v1/users/$user/list/cards
/api/v1/users/$user/similar
/api/v1/users/$user/snapshots
/api/v1/users/$user/snapshots/$snapshot
/api/v1/circles/$circle
/api/v1/circles/$circle/members
/api/v1/circles/$circle/rankings?limit=20&games=20
/api/v1/circles/$circle/platforms/$platform/ranking?limit=100
/api/v1/circles/$circle/common-games
/api/v0/ping
/api/v0/platforms?searchTerm=play
/api/v0/games?search=mario
/api/v0/games/$game
/api/v0/users?search=ma
/api/v0/users/$owner
/api/v0/my-fave-games/$owner
/api/v0/platform-fave-games/$platform
END
}

# Signs the person in to the server on the database of $1 entries, as an administrator, who may read
# everything. Writes what their requests need to the file person, for curl.
sign_in() {
    local jar=$work/jar_$1 password='tulip staple 42' form token
    export DATABASE_URL
    DATABASE_URL=$(database_url "$1")
    admin users set-password "$user" <<<"$password"
    admin users promote "$user" --role admin
    form=$(curl --silent --fail --cookie-jar "$jar" "$server_url/sign-in" |
        grep -o 'name="token" value="[^"]*"' | head -n 1 | cut -d'"' -f4)
    curl --silent --show-error --fail --output /dev/null --cookie "$jar" --cookie-jar "$jar" \
        --header "Origin: $server_url" --data-urlencode "token=$form" \
        --data-urlencode "username=$user" --data-urlencode "password=$password" \
        "$server_url/sign-in"
    admin token --user "$user" --minutes 1440
    token=$(<"$work/admin.log")
    printf 'cookie = "%s"\nheader = "Authorization: Bearer %s"\n' "$jar" "$token" >"$work/person"
}

# Prints the reads of the person who is signed in to the server on the database of $1 entries.
private_reads() {
    local own own_slug entry feed friend
    own=$(query "$1" "SELECT coalesce(
            (SELECT circle_id FROM circle_members WHERE user_id = u.id AND owned IS NOT NULL LIMIT 1),
            make_circle(u.id, 'Ours', '', 'members'))
        FROM users u WHERE username = '$user'")
    own_slug=$(query "$1" "SELECT slug FROM circles WHERE id = '$own'")
    query "$1" "SELECT set_circle_webhook('$own', id, 'https://hooks.example/x', sha256(''))
        FROM users WHERE username = '$user'" >/dev/null
    entry=$(query "$1" "SELECT e.id FROM entries e JOIN users u ON u.id = e.user_id
        WHERE u.username = '$user' ORDER BY e.position LIMIT 1")
    friend=$(query "$1" "SELECT min(o.username) FROM users u JOIN follows f ON f.follower_id = u.id
        JOIN users o ON o.id = f.followed_id WHERE u.username = '$user'")
    curl --silent --show-error --fail --output /dev/null --config "$work/person" \
        --header 'Content-Type: text/csv' --data-binary $'name\nHalo\nPortal\nTetris\n' \
        "$server_url/api/v1/me/import"
    feed=$(curl --silent --show-error --fail --config "$work/person" --request POST \
        "$server_url/api/v1/me/following/feed" | grep -o 'key=[^"]*')
    cat <<END
/
/platforms/ps4--1/games/$game
/entries
/@$user
/me
/me/import
/@$friend/block
/following
/following/people
/following/feed?$feed
/followers
/circles
/circles/new
/circles/$own_slug/settings
/settings
/settings/export
/settings/invitations
/settings/list.csv
/settings/passkeys
/settings/tokens
/settings/apps
/settings/blocked
/settings/snapshots
/moderation
/moderation/log
/administrator
/api/v1/me
/api/v1/me/blocks
/api/v1/me/circles
/api/v1/me/export
/api/v1/me/followers
/api/v1/me/following
/api/v1/me/following/entries
/api/v1/me/former-usernames
/api/v1/me/import
/api/v1/me/import/rows
/api/v1/me/invitations
/api/v1/me/snapshots
/api/v1/me/snapshots/$snapshot
/api/v1/me/list
/api/v1/me/list/entries/$entry
/api/v1/me/list.csv
/api/v1/me/mail-address
/api/v1/me/news
/api/v1/me/notices
/api/v1/me/sessions
/api/v1/me/tokens
/api/v1/users/$friend/shared
/api/v1/circles/$own/invitations
/api/v1/circles/$own/webhook
/api/v1/moderation/actions
/api/v1/moderation/cases
/api/v1/moderation/new-lists
/api/v0/my-fave-games
/api/v0/users/me
END
}

# Turns the reads on standard input into a configuration for curl, which makes each so many times. For
# each response it prints the read's number, the seconds and the status.
reads_for_curl() {
    # What follows the # stays with curl: the request is repeated.
    awk -F '\t' -v server="$server_url" -v requests="$requests" -v person="$(<"$work/person")" '
        NR > 1 { print "next" }
        {
            printf "url = \"%s%s#[1-%d]\"\noutput = /dev/null\nsilent\nshow-error\n", server, $2, requests
            printf "write-out = \"%d\\t%%{time_total}\\t%%{http_code}\\n\"\n", NR
            if ($1 == "person") print person
        }'
}

# The most milliseconds that a read may take among the most entries (p50) if it takes more than 1.2
# times as long as among the fewest. So much may be looked at for one response: a part of a sitemap has up
# to 4,800 lists.
routes_bound=25

routes() {
    local size round user snapshot game circle circle_slug pid grew=false pids=() columns=()
    local count=$((rounds * requests))
    for size in "${sizes[@]}"; do
        make_database "$size"
    done
    choose_what_is_read
    for size in "${sizes[@]}"; do
        SIGN_UP=invite start_server 1 "$size"
        pids+=("$server_pid")
        sign_in "$size"
        public_reads "$size" | sed 's/^/anyone\t/' >"$work/reads_$size"
        private_reads "$size" | sed 's/^/person\t/' >>"$work/reads_$size"
        reads_for_curl <"$work/reads_$size" >"$work/curl_$size"
    done
    for ((round = 0; round <= rounds; round++)); do
        # The first round fills PostgreSQL's memory, and does not count.
        ((round != 1)) || rm "$work"/times_*
        for size in "${sizes[@]}"; do
            curl --config "$work/curl_$size" >>"$work/times_$size"
            awk -F '\t' 'NR == FNR { read[NR] = $0; next }
                $3 >= 400 { print $3 " instead of " read[$1]; failed = 1; exit }
                END { exit failed }' "$work/reads_$size" "$work/times_$size" >&2 || fail "a read failed."
        done
    done

    say "Reads among more entries, one client, nothing cached, $count requests each: p50 and p99 in ms"
    for size in "${sizes[@]}"; do
        sort -k 1,1n -k 2,2g "$work/times_$size" | awk -v count="$count" '
            { place = (NR - 1) % count + 1 }
            place == int((count + 1) / 2) { median = 1000 * $2 }
            place == int(0.99 * count + 0.99) { high = 1000 * $2 }
            place == count { print median, high }' >"$work/column_$size"
        columns+=("$work/column_$size")
    done
    {
        printf '\tpath'
        printf '\t%s entries' "${sizes[@]}"
        printf '\ttimes\n'
        sed -E 's/(cursor|key|url)=.*/\1=X/; s/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,}/X/' \
            "$work/reads_${sizes[0]}" | paste - "${columns[@]}"
    } | awk -F '\t' -v bound="$routes_bound" '
        NR == 1 {
            printf "  %-58s", $2
            for (n = 3; n < NF; n++) printf " %17s", $n
            printf " %7s\n", $NF
            next
        }
        {
            printf "  %-58s", $2 ($1 == "person" ? " (signed in)" : "")
            for (n = 3; n <= NF; n++) { split($n, t, " "); printf " %8.2f %8.2f", t[1], t[2] }
            split($3, first, " ")
            much = t[1] > 1.2 * first[1] && t[1] > bound
            printf " %7.2f%s\n", t[1] / first[1], much ? "  too much" : ""
            if (much) failed = 1
        }
        END { exit failed }
    ' || grew=true
    say
    for pid in "${pids[@]}"; do
        stop "$pid"
    done
    if $grew && ! $quick; then
        fail "among more entries, a read takes more than 1.2 times as long, and over $routes_bound ms."
    fi
}
