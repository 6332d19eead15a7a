# shellcheck shell=bash
# What the scripts beside this one share: what they need of Debian, how it is installed, and how a long
# command is kept off the screen. To be sourced.

# shellcheck disable=SC2034 # used by those who source this
build_packages=(gcc libc6-dev meson ninja-build pkgconf libflint-arb-dev libflint-dev libglpk-dev
    libgmp-dev libgsl-dev libjansson-dev libxxhash-dev zlib1g-dev)

# What the program calls: plot, report and tree draw with it.
# shellcheck disable=SC2034
run_packages=(python3-matplotlib)

# shellcheck disable=SC2034
check_packages=(check clang libclang-rt-dev libmpfr-dev libmpich-dev libomp-dev libopenmpi-dev mpich mypy openmpi-bin
    python3 python3-tqdm shellcheck strace)

# The Python package; what it draws and tabulates with comes last.
# shellcheck disable=SC2034
python_packages=(python3 python3-dev python3-cffi python3-numpy python3-pandas python3-matplotlib)

# shellcheck disable=SC2034
analysis_packages=(clang-tidy cppcheck valgrind)

# What builds a wheel of the Python package.
# shellcheck disable=SC2034
wheel_packages=(python3-build python3-mesonpy python3-pip python3-venv)

# What executes the notebooks.
# shellcheck disable=SC2034
notebook_packages=(python3-ipykernel python3-nbclient python3-nbformat)

# What makes the Debian in which packages and the container's steps are tested.
# shellcheck disable=SC2034
root_packages=(mmdebstrap)

is_installed() {
    dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# install_missing PACKAGE...: asks apt for nothing where all of them are there.
install_missing() {
    local package missing=() as_root=()
    if ! command -v dpkg-query >/dev/null; then
        echo "This is not a Debian system; what is needed goes by these names there: $*" >&2
        return 0
    fi
    for package; do
        is_installed "$package" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    if [[ $(id -u) != 0 ]]; then
        if ! command -v sudo >/dev/null; then
            echo "Missing, and neither root nor sudo here: apt-get install ${missing[*]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    echo "Installing ${missing[*]}" >&2
    "${as_root[@]}" apt-get -q update &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get -q -y --no-install-recommends install "${missing[@]}"
}

# built NINJA-ARGUMENT...: builds, and says how far it is: a line that changes on a terminal, else a line for each
# hundred steps; all that the build printed where it failed.
built() {
    local log line count=0 status=0
    if [[ -t 2 ]]; then
        ninja "$@" >&2
        return
    fi
    log=$(mktemp)
    ninja "$@" 2>&1 | while IFS= read -r line; do
        printf '%s\n' "$line" >>"$log"
        count=$((count + 1))
        [[ $((count % 100)) != 0 || $line != \[* ]] || printf '%s\n' "${line%%]*}]" >&2
    done || status=$?
    [[ $status = 0 ]] || cat "$log" >&2
    rm -f "$log"
    return "$status"
}

# quietly COMMAND...: shows what it printed only where it failed.
quietly() {
    local output status
    output=$("$@" 2>&1) && return 0
    status=$?
    printf '%s\n' "$output" >&2
    return "$status"
}
