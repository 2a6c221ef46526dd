import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { mountOf, parseMountTable, readMountTable } from '../../disk/root/mount.ts'
import type { FolderMount } from './drop-in.ts'

/** Answers whether somebody with these groups besides the usual may do that with the path: `test -r PATH`. */
export type TryAs = (groups: readonly string[], test: readonly string[]) => boolean

/** Tests as the user of that name; root alone can. A name that is not there yet stands for anybody. */
export function tryAs(user: string): TryAs {
  const ids = idsOf(user)
  return (groups, test) => {
    const gids = groups.map(gidOf).filter((gid) => gid !== undefined)
    const own = gids.length > 0 ? ['--groups', gids.join(',')] : ['--clear-groups']
    const rights = ['--reuid', ids.uid, '--regid', ids.gid, ...own]
    return spawnSync('setpriv', [...rights, '--', 'test', ...test], { stdio: 'ignore' }).status === 0
  }
}

/** The overflow ids of kernel and systemd: they own nothing that is meant for anybody. */
const nobody = { uid: '65534', gid: '65534' }

export function idsOf(user: string): { uid: string; gid: string } {
  const [, , uid, gid] = entryOf('passwd', user)
  return uid !== undefined && gid !== undefined ? { uid, gid } : nobody
}

export function hasUser(user: string): boolean {
  return entryOf('passwd', user).length > 1
}

/** A name that nobody has owns nothing; nor does it own what is not there. */
export function isOwnedBy(user: string, path: string): boolean {
  return hasUser(user) && String(statSync(path, { throwIfNoEntry: false })?.uid) === idsOf(user).uid
}

/** RefreshOnReload= came with 260; an older one would complain about it each time that it reads the unit. */
export function isRefreshing(version = spawnSync('systemctl', ['--version'], { encoding: 'utf8' }).stdout): boolean {
  return Number(/^systemd (\d+)/.exec(version ?? '')?.[1] ?? 0) >= 260
}

/** What the service's user may do, tried as that user: modes, lists of rights and parent directories all have their say. */
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
      else closed.push({ path: folder, parent: closedParent(folder, (parent) => may([], ['-x', parent])) })
    }
  }
  return {
    /** Folders that are not there now. */
    missing,
    /** Groups that open folders which the user could not read otherwise. */
    groups: [...groups].sort(),
    /**
     * Folders that nobody but their owner may read, or whose group is root's; `parent`: the first directory on the way that
     * cannot be passed. Whether the folder itself can be read is not known then.
     */
    closed,
  }
}

export type Reach = ReturnType<typeof reachOf>
export type Closed = Reach['closed'][number]

/** The first directory on the way, from the root on, that may not be passed through. */
export function closedParent(path: string, mayPass: (directory: string) => boolean): string | undefined {
  const parents: string[] = []
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    parents.unshift(parent)
    if (parent === '/') break
  }
  return parents.find((parent) => !mayPass(parent))
}

/** By number where systemd would not take the name (it must be plain: SupplementaryGroups= knows no quotes). */
function groupName(gid: number): string {
  const [name = ''] = entryOf('group', String(gid))
  return /^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name) ? name : String(gid)
}

export function gidOf(group: string): string | undefined {
  return /^\d+$/.test(group) ? group : entryOf('group', group)[2]
}

/** A line of a database of users (getent(1) knows those of a directory service, too), at its colons. */
function entryOf(database: 'passwd' | 'group', key: string): string[] {
  const { stdout } = spawnSync('getent', [database, key], { encoding: 'utf8' })
  return (stdout ?? '').split('\n')[0]!.split(':')
}

/** File systems of other machines, by proc_pid_mountinfo(5)'s names. */
const network_types = /^(nfs4?|cifs|smb3|9p|ceph|glusterfs|afs|fuse\.(sshfs|rclone|davfs2?|s3fs|glusterfs|gcsfuse))$/

/** Folder -> the file system that holds it now. */
export function mountsOf(folders: readonly string[], mountinfo = readMountTable()) {
  const mounts = parseMountTable(mountinfo)
  const found = new Map<string, FolderMount>()
  for (const folder of folders) {
    const mount = mountOf(folder, mounts)
    if (mount) found.set(folder, { mount_point: mount.place, is_network: network_types.test(mount.type) })
  }
  return found
}
