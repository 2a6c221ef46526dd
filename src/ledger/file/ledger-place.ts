import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { causeOf, codeOf, SluiceError } from '../../base/run/errors.ts'
import type { Clock } from '../../base/time/time.ts'
import { controlSocket, ledgerFile } from './state-directory.ts'

export interface LedgerFault {
  error: SluiceError
  since_ms: number
}

/**
 * Call this when the ledger has been opened. The returned function checks whether the opened file
 * is still at its path. All that is recorded in a removed file is lost when the process ends.
 * Errors returned: `ledger.removed`, `ledger.replaced`, `ledger.out_of_sight`.
 */
export function watchLedgerPlace(state_dir: string, clock: Clock): () => LedgerFault | undefined {
  const file = ledgerFile(state_dir)
  const opened = identityOf(file)
  let known: LedgerFault | undefined
  return () => {
    const error = faultOf(file, opened)
    known = error && { error, since_ms: known?.since_ms ?? clock.now_ms() }
    return known
  }
}

function identityOf(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true })
  return `${dev} ${ino}`
}

function faultOf(file: string, opened: string): SluiceError | undefined {
  const lost = 'what is recorded from then on is lost when this daemon ends'
  try {
    if (identityOf(file) === opened) return undefined
    return new SluiceError({
      code: 'ledger.replaced',
      message: `another file is in the place of ${file}, which this daemon has open: ${lost}`,
      hint: 'stop the daemon; start it again if the new file is right, else run `sluice restore FILE` or `sluice rebuild` first',
    })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') {
      return new SluiceError({
        code: 'ledger.out_of_sight',
        message: `${file} cannot be checked: ${causeOf(error)}`,
        hint: 'see that the daemon can enter state_dir, and that its disk is there',
        cause: error,
      })
    }
    return new SluiceError({
      code: 'ledger.removed',
      message: `${file} was removed while this daemon has it open: ${lost}`,
      hint: 'stop the daemon, then run `sluice restore FILE` or `sluice rebuild` before it starts again',
      cause: error,
    })
  }
}

/** Lists every socket with the path that it was bound to, also of a removed file. */
const sockets_file = '/proc/net/unix'
const socket_line = /^\S+: \S+ \S+ (\S+) \S+ \S+ +(\d+) (.*)$/
/** __SO_ACCEPTCON, the flag of a listening socket. Accepted connections have the same path. */
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
      ? 'no command can reach it: restart it (systemctl restart sluice, or stop and start it)'
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
      return open.some(
        (one) => unlessHidden(() => readlinkSync(`${directory}/${one}`), '') === what,
      )
    })
}

/** `otherwise` after a system error: a process may end, or belong to another user. */
function unlessHidden<Answer>(check: () => Answer, otherwise: Answer): Answer {
  try {
    return check()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return otherwise
  }
}
