#!/bin/bash
# Boots a real systemd as process 1 of its own namespaces, on a temporary overlay of /, and keeps it
# until standard input ends. It has its own /tmp, /run, /dev and /var/tmp, so that nothing outside
# the overlay is written. It shares the network: servers on loopback outside can be reached inside.
#   lab.sh [PACKAGE]
# PACKAGE is a built package. It is mounted read-only at /usr/local/lib/node_modules/sluice, with its
# program on the PATH. Without it there is no Sluice inside. When the system is up, the script prints
# the number of process 1 as seen from outside, and the directory of the overlay.
# Needs root, unshare and nsenter (util-linux), pgrep (procps), systemd.
set -euo pipefail
package=${1:+$(realpath "$1")}
lab=$(mktemp -d /var/tmp/sluice-systemd.XXXXXX)

boot() {
  local root=$lab/root device unit
  mount --make-rprivate /
  mount -t tmpfs tmpfs "$lab"
  mkdir "$lab"/{upper,work,root}
  mount -t overlay overlay -o "lowerdir=/,upperdir=$lab/upper,workdir=$lab/work" "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  mount -t tmpfs -o mode=1777 tmpfs "$root/var/tmp"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  mkdir -p "$root"/dev/{pts,shm} "$root/sys/fs/cgroup"
  ln -s /proc/self/fd "$root/dev/fd"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  # Without this link no service gets its own /dev (PrivateDevices=).
  ln -s pts/ptmx "$root/dev/ptmx"
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  # These units use hardware, or would change the machine's clock and kernel settings.
  for unit in systemd-{udevd,logind,modules-load,sysctl,timesyncd,tmpfiles-setup-dev} console-getty; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit.service"
  done
  echo 11111111111111111111111111111111 > "$root/etc/machine-id"
  rm -rf "$root/usr/local/lib/node_modules/sluice" "$root/usr/local/bin/sluice"
  if [ -n "$package" ]; then
    mkdir -p "$root"/usr/local/{bin,lib/node_modules/sluice}
    mount --bind "$package" "$root/usr/local/lib/node_modules/sluice"
    mount -o remount,bind,ro "$root/usr/local/lib/node_modules/sluice"
    ln -s ../lib/node_modules/sluice/dist/cli/main.js "$root/usr/local/bin/sluice"
  fi
  # systemd mounts the credentials of a service in another namespace; they must be visible here.
  mount --make-rshared "$root"
  container=lab exec chroot "$root" /lib/systemd/systemd --system --unit=basic.target --show-status=0
}

end() {
  kill -KILL "$outer" 2>/dev/null || true
  wait "$outer" 2>/dev/null || true
  # Only the inside has files; outside this is an empty directory.
  rmdir "$lab"
  rm -f "$lab.log"
  remove_group
}

# The last process of a group can still be ending.
remove_group() {
  for _ in $(seq 1 50); do
    [ -n "$group" ] && [ -d "$group" ] || return 0
    find "$group" -depth -type d -exec rmdir {} + 2> /dev/null || sleep 0.1
  done
}

# Prints a new control group for this system, or nothing where none can be made. In one that they
# share, systemd removes the group of a service while that of another system starts in it.
own_group() {
  local mounted at
  mounted=$(findmnt --noheadings --first-only --types cgroup2 --output TARGET) || return 0
  at=$mounted$(sed -n 's/^0:://p' /proc/self/cgroup)/$(basename "$lab")
  if mkdir "$at" 2> /dev/null; then echo "$at"; fi
}

inside() {
  nsenter --target "$init" --mount --pid --root --wd --cgroup "$@"
}

export -f boot
export lab package
group=$(own_group)
# Where no process may enter the group, the system stays in that of this shell.
(
  if [ -n "$group" ]; then echo "$BASHPID" > "$group/cgroup.procs" || true; fi
  exec unshare --mount --pid --fork --kill-child --cgroup --uts --ipc bash -c boot
) > "$lab.log" 2>&1 < /dev/null &
outer=$!
trap end EXIT

state=
for _ in $(seq 1 150); do
  sleep 0.2
  init=$(pgrep -P "$outer" | head -1) || true
  [ -n "$init" ] || continue
  state=$(inside systemctl is-system-running 2> /dev/null) || true
  case "$state" in running | degraded) break ;; esac
done
case "$state" in
  running | degraded) ;;
  *)
    echo "systemd did not come up: ${state:-no answer}" >&2
    cat "$lab.log" >&2
    exit 1
    ;;
esac

echo "$init $lab"
cat > /dev/null
