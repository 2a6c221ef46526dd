import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseMountTable, readMountTable } from '../../base/files/mount-table.ts'
import { mountOf } from '../../disk/root/mounts.ts'
import type { FolderMount } from './drop-in.ts'

/** True if a user with these additional groups passes this test of a path: `test -r PATH`. */
export type TryAs = (groups: readonly string[], test: readonly string[]) => boolean

/** Tests as this user, which only root can do. An unknown name stands for a user without rights. */
export function tryAs(user: string): TryAs {
  const ids = idsOf(user)
  return (groups, test) => {
    const gids = groups.map(gidOf).filter((gid) => gid !== undefined)
    const own = gids.length > 0 ? ['--groups', gids.join(',')] : ['--clear-groups']
    const rights = ['--reuid', ids.uid, '--regid', ids.gid, ...own]
    return (
      spawnSync('setpriv', [...rights, '--', 'test', ...test], { stdio: 'ignore' }).status === 0
    )
  }
}

/** The overflow ids of the kernel: no user owns files by them. */
const nobody = { uid: '65534', gid: '65534' }

export function idsOf(user: string): { uid: string; gid: string } {
  const [, , uid, gid] = entryOf('passwd', user)
  return uid !== undefined && gid !== undefined ? { uid, gid } : nobody
}

export function hasUser(user: string): boolean {
  return entryOf('passwd', user).length > 1
}

/** False for unknown users and missing paths. */
export function isOwnedBy(user: string, path: string): boolean {
  return hasUser(user) && String(statSync(path, { throwIfNoEntry: false })?.uid) === idsOf(user).uid
}

/** RefreshOnReload= came with 260. An older systemd warns each time it reads the unit. */
export function isRefreshing(
  version = spawnSync('systemctl', ['--version'], { encoding: 'utf8' }).stdout,
): boolean {
  return Number(/^systemd (\d+)/.exec(version ?? '')?.[1] ?? 0) >= 260
}

/**
 * Access of the service's user to folders, tried as that user: modes, access lists and parent
 * directories all count.
 */
export function reachOf(folders: readonly string[], may: TryAs) {
  const missing: string[] = []
  const groups = new Set<string>()
  const closed: { path: string; parent: string | undefined }[] = []
  for (const folder of folders) {
    const stat = statSync(folder, { throwIfNoEntry: false })
    const test = ['-r', folder, '-a', '-x', folder]
    if (!stat) missing.push(folder)
    else if (!may([], test)) {
      const group = stat.gid === 0 ? undefined : groupName(stat.gid)
      if (group !== undefined && may([group], test)) groups.add(group)
      else
        closed.push({
          path: folder,
          parent: closedParent(folder, (parent) => may([], ['-x', parent])),
        })
    }
  }
  return {
    /** Folders that do not exist now. */
    missing,
    /** Groups that give access to folders. */
    groups: [...groups].sort(),
    /**
     * Folders without such a group. `parent` is the first directory on the path that the user
     * cannot pass; the access to the folder itself is then unknown.
     */
    closed,
  }
}

export type Reach = ReturnType<typeof reachOf>
export type Closed = Reach['closed'][number]

/** The first directory on the path, from the root, that may not be passed. */
export function closedParent(
  path: string,
  mayPass: (directory: string) => boolean,
): string | undefined {
  const parents: string[] = []
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    parents.unshift(parent)
    if (parent === '/') break
  }
  return parents.find((parent) => !mayPass(parent))
}

/**
 * Returns the number if SupplementaryGroups= does not accept the name, since it knows no quotes.
 */
function groupName(gid: number): string {
  const [name = ''] = entryOf('group', String(gid))
  return /^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name) ? name : String(gid)
}

export function gidOf(group: string): string | undefined {
  return /^\d+$/.test(group) ? group : entryOf('group', group)[2]
}

/** The fields of a user or group. getent(1) also asks directory services. */
function entryOf(database: 'passwd' | 'group', key: string): string[] {
  const { stdout } = spawnSync('getent', [database, key], { encoding: 'utf8' })
  return (stdout ?? '').split('\n')[0]!.split(':')
}

/** Names of network file systems in proc_pid_mountinfo(5). */
const network_types =
  /^(nfs4?|cifs|smb3|9p|ceph|glusterfs|afs|fuse\.(sshfs|rclone|davfs2?|s3fs|glusterfs|gcsfuse))$/

/** Folder -> its present mount. */
export function mountsOf(folders: readonly string[], mountinfo = readMountTable()) {
  const mounts = parseMountTable(mountinfo)
  const found = new Map<string, FolderMount>()
  for (const folder of folders) {
    const mount = mountOf(folder, mounts)
    if (mount)
      found.set(folder, { mount_point: mount.place, is_network: network_types.test(mount.type) })
  }
  return found
}
