#!/usr/bin/env bash
# Runs the tests on the newest Node of other lines, by npm's node packages; what is installed here stays as it is.
#   test/node-versions.sh                      22, 24 and 26; the tests of most rooms
#   test/node-versions.sh 24 -- test/ledger    this line, these tests (whatever vitest takes)
# Each line gets its packages by `npm ci`, as a clone on that Node would: better-sqlite3 there is another version than on Node 20
# (src/base/sqlite-driver.ts). Without a network it goes as far as npm's cache does. Linux on x64 or arm64.
set -euo pipefail
cd "$(dirname "$0")/.."

lines=() tests=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do lines+=("$1") && shift; done
[ $# -eq 0 ] || shift
tests=("$@")
[ ${#lines[@]} -gt 0 ] || lines=(22 24 26)
[ ${#tests[@]} -gt 0 ] || tests=(test/{base,domain,ledger,sync,disk,remote,service,control,status,inspect,config,cli,journey}/)
case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) echo "no node package for $(uname -m)" >&2 && exit 1 ;; esac

work=$(mktemp -d)
# Some tests try things as nobody.
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT

copy_project() {
  mkdir "$1"
  cp -a package.json package-lock.json tsconfig.json vitest*.ts .npmrc biome.json config docs systemd src test .ci \
    README.md CHANGELOG.md LICENSE "$1"
}

run_line() {
  local line=$1 nodes=$work/node-$1 project=$work/project-$1 log=$work/log-$1
  npm install --silent --prefix "$nodes" --ignore-scripts --no-save "node-linux-$arch@$line"
  local home=$nodes/node_modules/node-linux-$arch
  copy_project "$project"
  (
    export PATH=$home/bin:$PATH npm_config_nodedir=$home
    cd "$project"
    npm ci --silent --prefer-offline
    local status=0
    npx vitest run "${tests[@]}" > "$log" 2>&1 || status=$?
    [ $status -eq 0 ] || grep -v '✓' "$log" >&2
    echo "Node $(node --version): $(sed 's/\x1b\[[0-9;]*m//g' "$log" | sed -n 's/^ *Tests *//p')"
    exit $status
  )
}

failed=0
for line in "${lines[@]}"; do run_line "$line" || failed=1; done
exit $failed
