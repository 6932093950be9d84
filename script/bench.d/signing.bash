# How long people wait for a page while 16 clients sign in with passwords, against how
# long they wait while 16 clients read pages. A sign-in must cost the event loops no
# more than a page.

signing() {
    local round page alone signing reading connections=4
    make_database "$usual"
    export SIGN_UPS_PER_ADDRESS=1000000 SIGN_IN_ATTEMPTS_PER_ADDRESS=1000000 \
        SIGN_IN_ATTEMPTS_PER_NAME=1000000
    start_server 2 "$usual"
    prepare_signing
    page=$server_url/@rob
    : >"$work/signing"
    for ((round = 1; round <= rounds; round++)); do
        alone=$(measure_wrk "$page" wrk --threads 1)
        background "$server_url" --script "$work/signing.lua"
        signing=$(measure_wrk "$page" wrk --threads 1)
        await_background
        signing+=" $background_rate"
        background "$page"
        reading=$(measure_wrk "$page" wrk --threads 1)
        await_background
        reading+=" $background_rate"
        echo "$alone $signing $reading" | awk '{ print $0, $10 / $6, $6 / $3 }' >>"$work/signing"
    done

    say "The page of a list read by $connections clients, $rounds rounds of $seconds s"
    row '' 'requests/s' 'p50 ms' 'p99 ms' 'others/s'
    result 'alone' "$work/signing" 1
    result 'while 16 sign in' "$work/signing" 4 "$(median "$work/signing" 7)"
    result 'while 16 read pages' "$work/signing" 8 "$(grouped "$(median "$work/signing" 11)")"
    say "  p99 while others read, against p99 while others sign in:"
    say_ratio "$work/signing" 12 1
    say
    stop "$server_pid"
}
