import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { codeOf, SluiceError } from '../../base/run/errors.ts'
import { controlSocket, ledgerFile } from '../file/state-directory.ts'

/**
 * Lists every socket of Linux with the path that it was bound to. The path stays when the file is
 * removed (proc_net(5), unix).
 */
const sockets_file = '/proc/net/unix'
const socket_line = /^\S+: \S+ \S+ (\S+) \S+ \S+ +(\d+) (.*)$/
/**
 * __SO_ACCEPTCON: the socket listens. An accepted connection has the same path, but not this flag.
 */
const listens_flag = 0x1_00_00

/**
 * Throws if a daemon still works although its socket is gone: a user removed, moved or covered the
 * files that it has open. A second daemon beside it would begin an empty ledger and ask every
 * prompt again. Error `ledger.orphan`. It cannot see a process of another user, in another
 * container, or without /proc.
 */
export function refuseOrphan(state_dir: string): void {
  const socket = controlSocket(state_dir)
  const pid = existsSync(socket) ? undefined : orphanOf(socket)
  if (pid === undefined) return
  const is_whole = existsSync(ledgerFile(state_dir))
  throw new SluiceError({
    code: 'ledger.orphan',
    message: `process ${pid} is the daemon still, and ${is_whole ? 'its socket was removed' : `${state_dir} was taken away from under it`}`,
    hint: is_whole
      ? 'nobody can speak to it: restart it (systemctl restart sluice, or end it and start it again)'
      : 'put it back as it was; else stop the daemon first, then run `sluice restore FILE` or `sluice rebuild`',
  })
}

/** The process that listens on a socket whose file is gone; undefined if none is found. */
function orphanOf(socket: string): number | undefined {
  const inode = listeningInode(socket)
  return inode === undefined ? undefined : processThatHas(`socket:[${inode}]`)
}

function listeningInode(socket: string): string | undefined {
  for (const line of unlessHidden(() => readFileSync(sockets_file, 'utf8').split('\n'), [])) {
    const [, flags = '', inode, path] = socket_line.exec(line) ?? []
    if (path === socket && (Number.parseInt(flags, 16) & listens_flag) !== 0) return inode
  }
  return undefined
}

function processThatHas(what: string): number | undefined {
  const names = unlessHidden(() => readdirSync('/proc'), [])
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      const directory = `/proc/${pid}/fd`
      const open = unlessHidden(() => readdirSync(directory), [])
      return open.some((one) => unlessHidden(() => readlinkSync(`${directory}/${one}`), '') === what)
    })
}

/** Processes of other users are hidden, and any process may end during the check. */
function unlessHidden<Answer>(look: () => Answer, otherwise: Answer): Answer {
  try {
    return look()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return otherwise
  }
}
