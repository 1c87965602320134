# shellcheck shell=bash disable=SC2034
# What scripts/run, scripts/test and the Dockerfile share: Debian packages, configure, build. Sourced, never run.
#
# Everything here may be repeated: packages are installed only when missing, so a second run needs no network.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# To configure and build everything.
build_packages=(
  ca-certificates ccache cmake g++ make ninja-build pkg-config
  libabsl-dev libbenchmark-dev libcli11-dev libcpp-httplib-dev libgoogle-perftools-dev libgrpc++-dev libgtest-dev liblemon-dev
  libprotobuf-dev libspdlog-dev libssl-dev libyaml-cpp-dev prometheus-cpp-dev protobuf-compiler protobuf-compiler-grpc zlib1g-dev
)
# To test on top of that: fuzz targets, format, scripts, certificates. Node comes apart, see install_node.
test_packages=(binutils clang clang-format libclang-rt-14-dev openssl shellcheck yamllint)

say() { printf '\n== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || printf '%s\n' "$package"
  done
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "needs root, or sudo, for: $*"
  fi
}

install_packages() {
  command -v dpkg-query >/dev/null || die "installs Debian packages; on another system install their like and use cmake"
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  say "Installing ${missing[*]}"
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}"
}

# Any Node from 18 on with npm will do; Debian's where there is none.
install_node() {
  if ! command -v node >/dev/null || [[ $(node -p 'process.versions.node.split(".")[0]') -lt 18 ]]; then
    install_packages nodejs
  fi
  command -v npm >/dev/null || install_packages npm
}

# The packages of tests/package-lock.json, again only when that changed. None of them needs its install script.
install_node_modules() {
  install_node
  local stamp=$top/tests/node_modules/.installed
  cmp -s "$top/tests/package-lock.json" "$stamp" && return 0
  say "Installing the test tools of tests/package-lock.json"
  (cd "$top/tests" && npm ci --ignore-scripts --no-audit --no-fund)
  cp "$top/tests/package-lock.json" "$stamp"
}

# build PRESET [TARGET...]: a preset of CMakePresets.json; without targets everything.
build() {
  local preset=$1
  shift
  # Precompiled headers are cached only when ccache may overlook their time stamps.
  export CCACHE_SLOPPINESS=pch_defines,time_macros
  (
    cd "$top" || exit
    cmake --log-level=NOTICE --preset "$preset"
    cmake --build --preset "$preset" ${1:+--target "$@"}
  )
}
