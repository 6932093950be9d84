# What a request of someone who is signed in, or of a program with a token, costs: the CPU
# time of the server and of PostgreSQL, with 64 connections. With --before, beside what it
# costs the other programs.

# Makes an account with a list of five; sets the cookie of a browser that is signed in to it, and the
# token of a program.
prepare_reader() {
    local name=reader-$$ password='tulip staple 42' account form_token entries jar=$work/cookies.$index
    account="{\"username\": \"$name\", \"password\": \"$password\"}"
    curl --silent --fail --output /dev/null --header 'Content-Type: application/json' \
        --data "$account" "$server_url/api/v1/users" || fail "cannot create an account."
    token=$(curl --silent --fail --header 'Content-Type: application/json' --data "$account" \
        "$server_url/api/v1/sessions" | member accessToken)
    entries=$(query "$usual" "SELECT string_agg(format('{\"gameId\":%s,\"platformId\":%s}', game_id,
        platform_id), ',') FROM (SELECT * FROM included_by ORDER BY count DESC LIMIT 5) i")
    curl --silent --fail --output /dev/null --request PUT \
        --header "Authorization: Bearer $token" \
        --header 'Content-Type: application/json' --header 'If-Match: *' \
        --data "{\"entries\": [$entries]}" "$server_url/api/v1/me/list" || fail "cannot save a list."
    curl --silent --fail --cookie-jar "$jar" "$server_url/sign-in" >"$work/sign-in.html"
    form_token=$(sed -n 's/.*name="token" value="\([^"]*\)".*/\1/p' "$work/sign-in.html" | head -n 1)
    curl --silent --fail --output /dev/null --cookie "$jar" --cookie-jar "$jar" \
        --header "Origin: ${server_url/127.0.0.1/localhost}" --data-urlencode "token=$form_token" \
        --data-urlencode "username=$name" --data-urlencode "password=$password" \
        "$server_url/sign-in" || fail "cannot sign in."
    cookie=$(awk '$6 ~ /session$/ { print $6 "=" $7 }' "$jar")
    [[ -n $cookie ]] || fail "there is no cookie of a session."
}

# Starts the server of the programs in $1, with a database whose name begins with $2, and prepares its
# reader; its process, its address and what its requests need are kept at index $3.
start_variant() {
    local programs=$1 prefix=$2 index=$3 server=("$1/fave-server") cookie token
    make_database "$usual"
    start_server 2 "$usual"
    prepare_reader
    pids[index]=$server_pid
    urls[index]=$server_url
    cookies[index]=$cookie
    tokens[index]=$token
}

signed-in() {
    local round name slug index fields
    local names=(home ranking list entries settings token json) indexes=(0)
    local pids=() urls=() cookies=() tokens=()
    local -A paths=() titles=()
    export SIGN_UPS_PER_ADDRESS=1000000 SIGN_IN_ATTEMPTS_PER_ADDRESS=1000000 \
        ACCESS_TOKEN_MINUTES=60
    start_variant "$programs" "$prefix" 0
    if [[ -n $other_programs ]]; then
        start_variant "$other_programs" fave_before_ 1
        indexes=(0 1)
    fi
    slug=$(query "$usual" "SELECT slug FROM platforms WHERE id = $platform")
    paths=(
        [home]=/ [ranking]="/platforms/$slug" [list]="/@reader-$$" [entries]=/entries
        [settings]=/settings [token]=/api/v1/me/list
        [json]="/api/v1/platforms/$platform/ranking?limit=5"
    )
    titles=(
        [home]='home' [ranking]='ranking page of 50' [list]='list page' [entries]=/entries
        [settings]=/settings [token]='JSON list, with a token' [json]='JSON ranking, stranger'
    )
    for ((round = 1; round <= rounds; round++)); do
        for name in "${names[@]}"; do
            for index in "${indexes[@]}"; do
                case $name in
                token) fields=(--header "Authorization: Bearer ${tokens[index]}") ;;
                json) fields=() ;;
                *) fields=("${browser_fields[@]/theme=dark/theme=dark; ${cookies[index]}}") ;;
                esac
                cost_of "${pids[index]}" "${urls[index]}${paths[$name]}" "${fields[@]}"
            done | cut -d ' ' -f 1,2 | tr '\n' ' ' | awk '{ print $0, (NF > 2 ? $1 / $3 : 1) }' >>"$work/signed-in.$name"
        done
    done

    say "What a request costs, $connections connections, $rounds rounds of $seconds s"
    printf '  %-26s %9s %11s' 'CPU time in µs' server PostgreSQL
    [[ -z $other_programs ]] || printf ' %9s %11s %7s' before PostgreSQL ratio
    say
    for name in "${names[@]}"; do
        printf '  %-26s %9s %11s' "${titles[$name]}" "$(median "$work/signed-in.$name" 1)" \
            "$(median "$work/signed-in.$name" 2)"
        [[ -z $other_programs ]] || printf ' %9s %11s %7.2f' "$(median "$work/signed-in.$name" 3)" \
            "$(median "$work/signed-in.$name" 4)" "$(median "$work/signed-in.$name" 5)"
        say
    done
    say
    for index in "${indexes[@]}"; do
        stop "${pids[index]}"
    done
}
