#!/usr/bin/env bash
# Runs a command on the newest Node of other release lines, from npm's node packages, in a fresh
# copy of this tree. The packages installed here do not change.
#   .ci/node-versions.sh                            22, 24 and 26: npm run test:quick
#   .ci/node-versions.sh 24 -- npx vitest run test/cli   this line, this command
# Each line gets its packages from `npm ci`, as a clone on that Node would: better-sqlite3 has
# another version there than on Node 20 (src/base/files/sqlite-driver.ts). Without a network only
# packages in npm's cache are available. Linux on x64 or arm64.
set -euo pipefail
cd "$(dirname "$0")/.."

lines=() command=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do lines+=("$1") && shift; done
[ $# -eq 0 ] || shift
command=("$@")
[ ${#lines[@]} -gt 0 ] || lines=(22 24 26)
[ ${#command[@]} -gt 0 ] || command=(npm run test:quick)
case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) echo "no node package for $(uname -m)" >&2 && exit 1 ;; esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run_line() {
  local line=$1 nodes=$work/node-$1 project=$work/project-$1 log=$work/log-$1
  # The function is called before ||, where bash continues after a failure. So each step that must
  # succeed has its own check.
  npm install --silent --prefix "$nodes" --ignore-scripts --no-save "node-linux-$arch@$line" || return 1
  local home=$nodes/node_modules/node-linux-$arch
  mkdir "$project" || return 1
  tar --exclude=./.git --exclude=node_modules --exclude=./dist -cf - . | tar -C "$project" -xf - || return 1
  (
    export PATH=$home/bin:$PATH npm_config_nodedir=$home
    cd "$project" || exit 1
    case $(node --version) in "v$line" | "v$line".*) ;; *) echo "Node $line is not there: $(node --version)" >&2 && exit 1 ;; esac
    npm ci --silent --prefer-offline || exit 1
    local status=0
    "${command[@]}" > "$log" 2>&1 || status=$?
    [ $status -eq 0 ] || grep -v '✓' "$log" >&2
    echo "Node $(node --version), exit $status: $(sed 's/\x1b\[[0-9;]*m//g' "$log" | sed -n 's/^ *Tests *//p')"
    exit $status
  ) || return 1
  rm -rf "$nodes" "$project"
}

failed=0
for line in "${lines[@]}"; do run_line "$line" || failed=1; done
exit $failed
