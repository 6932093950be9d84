# Starts and stops the programs that the comparisons measure.

# Stops process $1, which this script started.
stop() {
    local process others=()
    kill -TERM "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
    for process in "${processes[@]}"; do
        [[ $process == "$1" ]] || others+=("$process")
    done
    processes=("${others[@]}")
}

# shellcheck disable=SC2317 # called by a trap
on_exit() {
    local process name
    trap '' INT TERM HUP
    for process in "${processes[@]}"; do
        stop "$process"
    done
    if [[ -n $unfinished ]]; then
        script/database drop "$unfinished" || true
    fi
    if ! $keep; then
        for name in "${databases[@]}"; do
            script/database drop "$name" || true
        done
    fi
    if $stops_database; then
        script/database stop
    fi
    rm -rf "$work"
}

# Runs a command on core $1, if this machine has two cores and allows that.
pinned() {
    local core=$1
    shift
    if $can_pin; then
        exec taskset --cpu-list "$core" "$@"
    fi
    exec "$@"
}

# Prints a free port of the loopback interface.
free_port() {
    local port
    while :; do
        port=$((20000 + RANDOM % 12000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return
        fi
    done
}

# Waits until process $1 responds at address $2.
wait_for() {
    local tries
    for ((tries = 0; tries < 300; tries++)); do
        kill -0 "$1" 2>/dev/null || break
        # --insecure accepts our own certificate, which no authority has signed.
        if curl --silent --fail --insecure --output /dev/null --max-time 5 "$2"; then
            return
        fi
        sleep 0.1
    done
    fail "$2 does not respond:"$'\n'"$(tail -n 20 "$work"/*.log)"
}

# Starts the server with $1 loops on the database of $2 entries, pinned to core $3 if given; sets
# server_pid and server_url, which is https if TLS_CERTIFICATE_FILE is set.
start_server() {
    local port core=${3-} run=(env) scheme=http
    port=$(free_port)
    [[ -z ${TLS_CERTIFICATE_FILE-} ]] || scheme=https
    if [[ -n $core ]]; then
        run=(pinned "$core")
    fi
    HOST=127.0.0.1 PORT=$port LOOPS=$1 DATABASE_URL=$(database_url "$2") \
        LOG_LEVEL=${LOG_LEVEL:-warning} CACHE_MEGABYTES=${CACHE_MEGABYTES:-0} \
        PUBLIC_URL=$scheme://localhost:$port \
        API_READS_PER_MINUTE=${API_READS_PER_MINUTE:-0} \
        API_WRITES_PER_MINUTE=${API_WRITES_PER_MINUTE:-0} \
        PAGES_PER_MINUTE=${PAGES_PER_MINUTE:-0} \
        "${run[@]}" "${server[@]}" </dev/null >"$work/server.log" 2>&1 &
    server_pid=$!
    processes+=("$server_pid")
    server_url=$scheme://127.0.0.1:$port
    wait_for "$server_pid" "$server_url/ping"
}

# Starts nginx with the locations of configuration file $1 and $2 workers, or with one on core 0; sets
# nginx_pid and nginx_url. $3 is a path that it serves.
start_nginx() {
    local port user='' run=(pinned 0)
    (($# < 2)) || run=(env)
    port=$(free_port)
    ((EUID != 0)) || user="user root;"
    cat >"$work/nginx.conf" <<END
daemon off;
$user
worker_processes ${2-1};
pid $work/nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
    access_log off;
    sendfile on;
    open_file_cache max=16 inactive=1h;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
    etag off;
    if_modified_since off;
    client_body_temp_path $work/temp;
    proxy_temp_path $work/temp;
    fastcgi_temp_path $work/temp;
    uwsgi_temp_path $work/temp;
    scgi_temp_path $work/temp;
    server {
        listen 127.0.0.1:$port;
        root $work/www;
        include $1;
    }
}
END
    "${run[@]}" nginx -p "$work" -c "$work/nginx.conf" -e stderr </dev/null >"$work/nginx.log" 2>&1 &
    nginx_pid=$!
    processes+=("$nginx_pid")
    nginx_url=http://127.0.0.1:$port
    wait_for "$nginx_pid" "$nginx_url/${3-bytes}"
}

# Prints the configuration that makes nginx serve file $1 at /$1, with the header fields that curl
# dumped to file $2.
nginx_location() {
    awk -v name="$1" '
        BEGIN { printf "location = /%s {\n    types { }\n", name }
        { sub(/\r$/, "") }
        NR == 1 || $0 == "" { next }
        {
            field = $0
            sub(/:.*/, "", field)
            value = substr($0, length(field) + 3)
            gsub(/["\\]/, "\\\\&", value)
        }
        tolower(field) ~ /^(date|content-length|connection)$/ { next }
        tolower(field) == "content-type" { printf "    default_type \"%s\";\n", value; next }
        # Each response has a different request id.
        tolower(field) == "x-request-id" { value = "$request_id" }
        { printf "    add_header %s \"%s\";\n", field, value }
        END { print "}" }
    ' "$2"
}
