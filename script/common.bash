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

# True if a browser with this engine is installed, with what drives it. Snaps do not count, because
# they can see neither the tests' folders nor each other.
# shellcheck disable=SC2317 # scripts that source this call it
has_engine() {
    case $1 in
    chromium)
        is_installed chromedriver &&
            { is_installed chromium || is_installed chromium-browser || is_installed google-chrome; }
        ;;
    firefox) is_installed firefox-esr || is_installed firefox ;;
    webkit) is_installed WebKitWebDriver && is_installed Xvfb && is_installed xsettingsd ;;
    esac
}

# True if a program is there, and neither belongs to a snap nor is a script that starts one.
# shellcheck disable=SC2317
is_installed() {
    local program
    program=$(command -v "$1") && program=$(readlink -f "$program") || return 1
    [[ $program != */snap* ]] || return 1
    [[ $(head -c 2 "$program" | tr -d '\0') != '#!' ]] || ! grep -q /snap/ "$program"
}
