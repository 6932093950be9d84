# A response of 3 KB over HTTPS against the same response over HTTP, on persistent
# connections. Each server runs on one core.

tls() {
    local round encrypted plain url url_encrypted pid_encrypted path=/assets/embed.css
    make_database 0
    openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -subj /CN=localhost \
        -days 2 -keyout "$work/tls.key" -out "$work/tls.pem" 2>"$work/tls.log" ||
        fail "cannot create a certificate:"$'\n'"$(<"$work/tls.log")"
    TLS_CERTIFICATE_FILE=$work/tls.pem TLS_KEY_FILE=$work/tls.key \
        start_server 1 0 0
    url_encrypted=$server_url$path
    pid_encrypted=$server_pid
    start_server 1 0 0
    url=$server_url$path
    : >"$work/tls"
    for ((round = 1; round <= rounds; round++)); do
        encrypted=$(measure_wrk "$url_encrypted" pinned_wrk)
        plain=$(measure_wrk "$url" pinned_wrk)
        echo "$encrypted $plain" | awk -v b="${plain%% *}" '{ print $0, $1 / b }' >>"$work/tls"
    done

    say "The same $(kilobytes "$url") KB over TLS 1.3 and over plain HTTP, one core each," \
        "$connections connections, $rounds rounds of $seconds s"
    row '' 'requests/s' 'p50 ms' 'p99 ms' 'memory MB'
    result 'HTTPS' "$work/tls" 1 "$(resident "$pid_encrypted")"
    result 'HTTP' "$work/tls" 4 "$(resident "$server_pid")"
    say_ratio "$work/tls" 7 0.7
    say
    stop "$server_pid"
    stop "$pid_encrypted"
}
