# Makes the databases of the comparisons.

# Prints the DATABASE_URL of the database of $1 entries.
database_url() {
    script/database url "$prefix$1"
}

# Prints what a query returns: query SIZE SQL
query() {
    "$postgres/psql" -XAtc "$2" "$(database_url "$1")"
}

# Whether the database of $1 entries exists: made in this run, or left by an earlier one and then
# migrated.
has_database() {
    local name=$prefix$1
    [[ " ${databases[*]} " != *" $name "* ]] || return 0
    [[ $(script/database psql -XAtc \
        "SELECT 1 FROM pg_database WHERE datname = '$name'") == 1 ]] || return 1
    databases+=("$name")
    DATABASE_URL=$(database_url "$1") admin migrate
}

# Makes the database of about $1 entries, unless it is there. The first 10,000 entries are demo lists,
# and the others are copies of them.
make_database() {
    local size=$1 name=$prefix$1 start=$SECONDS
    ! has_database "$size" || return 0
    unfinished=$name
    script/database create "$name"
    export DATABASE_URL
    DATABASE_URL=$(database_url "$size")
    admin migrate
    admin seed-platforms
    admin seed-catalogue
    if ((size > 0)); then
        note "Filling a database with about $(grouped "$size") entries …"
        admin seed-demo --users 2381 --seed 1 # 4.2 entries each
        ((size < 20000)) || copy_people $((size / 10000 - 1))
        admin recount --check
        note "… took $((SECONDS - start)) s"
    fi
    "$postgres/psql" -Xqc 'VACUUM (ANALYZE)' "$DATABASE_URL" >"$work/vacuum.log" 2>&1
    "$postgres/psql" -Xqc CHECKPOINT "${DATABASE_URL%user=fave}user=postgres"
    databases+=("$name")
    unfinished=
}

# Copies all people of the database in DATABASE_URL $1 times, with all their data. Every second copy
# has the same games, and the others have games of their own: rankings become longer, and more lists
# include a game. The people of every second copy also follow those of the first.
#
# No trigger runs, and no foreign key is checked: the copies are as consistent as their originals.
# Indexes are built after the rows are copied, which is quicker.
copy_people() {
    "$postgres/psql" -Xq --set ON_ERROR_STOP=1 --set copies="$1" \
        --file script/bench.d/copies.sql \
        "${DATABASE_URL%user=fave}user=postgres" >"$work/copies.log"
}

# Runs fave-admin, and prints its output only if it fails.
admin() {
    "$programs/fave-admin" "$@" >"$work/admin.log" 2>"$work/admin.err" || {
        cat "$work"/admin.{log,err} >&2
        fail "fave-admin $* failed."
    }
}
