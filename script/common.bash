# What the scripts in bash have in common. Sets `root` to the folder of the repository.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
this=$(realpath "$0")

# Prints the comment at the beginning of the script.
usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$this"
}

# Says why the script can't go on, and ends it.
fail() {
    printf '%s: %s\n' "${this#"$root/"}" "$*" >&2
    exit 1
}

say() {
    printf '%s\n' "$*"
}

note() {
    say "$@" >&2
}
