import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { writeFileAtomic } from '../../base/files/atomic-file.ts'
import { causeOf, codeOf, messageOf, SluiceError } from '../../base/run/errors.ts'
import { shellWord } from '../../base/text/format.ts'
import type { Terminal } from '../text/terminal.ts'

interface FileToLay {
  /** As the machine knows it, without the prefix. */
  path: string
  text: string
  mode: number
  /** Owner and group by number; those of the caller where it is left out. */
  owner?: { uid: number; gid: number } | undefined
  /** True: an existing file stays as it is, because a user may have edited it. */
  keep?: boolean
}

/** Makes changes and prints them; in a dry run it only prints them. */
export type Builder = ReturnType<typeof createBuilder>

/** All paths are below `prefix`; with one, or in a dry run, no program is run. */
export function createBuilder(options: { prefix: string; is_dry: boolean; terminal: Terminal }) {
  const { prefix, is_dry, terminal } = options
  const at = (path: string) => (prefix === '' ? path : join(prefix, path))
  const say = (what: string, path: string, more = '') =>
    terminal.out(`${what.padEnd(8)} ${at(path)}${more}`)
  const read = (path: string) => mayFail(at(path), () => textOf(at(path)))
  const isMasked = (path: string) =>
    mayFail(at(path), () => {
      const stat = lstatSync(at(path), { throwIfNoEntry: false })
      return stat?.isSymbolicLink() === true && readlinkSync(at(path)) === '/dev/null'
    })
  return {
    read,
    exists: (path: string) => lstatSync(at(path), { throwIfNoEntry: false }) !== undefined,
    lay({ path, text, mode, owner, keep = false }: FileToLay) {
      if (isMasked(path)) {
        say('kept', path, '  (masked)')
        return false
      }
      const old = read(path)
      if (old === text || (old !== undefined && keep)) {
        say(old === text ? 'same' : 'kept', path, old === text ? '' : '  (it may be edited)')
        return false
      }
      say(
        old === undefined ? 'write' : 'change',
        path,
        mode === 0o644 ? '' : `  (${mode.toString(8)})`,
      )
      if (!is_dry)
        mayFail(at(path), () => write(at(path), text, mode, prefix === '' ? owner : undefined))
      return true
    },
    /** Sets the mode of a file if it has rights beyond `mode`; its content stays. */
    close(path: string, mode: number) {
      const wide = mayFail(at(path), () => (statSync(at(path)).mode & 0o777 & ~mode) !== 0)
      say(wide ? 'change' : 'kept', path, `  (${mode.toString(8)})`)
      if (wide && !is_dry) mayFail(at(path), () => chmodSync(at(path), mode))
    },
    /** Sets an existing directory to 755 if not everybody can read and enter it. */
    open(directory: string) {
      const mode = mayFail(
        at(directory),
        () => statSync(at(directory), { throwIfNoEntry: false })?.mode,
      )
      if (mode === undefined || (mode & 0o005) === 0o005) return
      say('change', directory, '  (755)')
      if (!is_dry) mayFail(at(directory), () => chmodSync(at(directory), 0o755))
    },
    /**
     * True for a link to /dev/null: a masked unit (systemctl(1)). The administrator made it, so
     * `lay` does not overwrite and `remove` does not remove it.
     */
    isMasked,
    remove(path: string) {
      if (lstatSync(at(path), { throwIfNoEntry: false }) === undefined) return false
      if (isMasked(path)) {
        say('kept', path, '  (masked)')
        return false
      }
      say('remove', path)
      if (!is_dry) mayFail(at(path), () => rmSync(at(path)))
      return true
    },
    removeTree(path: string) {
      if (lstatSync(at(path), { throwIfNoEntry: false }) === undefined) return false
      say('remove', path, '  (and all that is in it)')
      if (!is_dry) mayFail(at(path), () => rmSync(at(path), { recursive: true }))
      return true
    },
    /** Removes a directory if it is empty. */
    removeEmpty(path: string) {
      if (is_dry) return
      try {
        rmdirSync(at(path))
      } catch (error) {
        if (!['ENOENT', 'ENOTEMPTY'].includes(codeOf(error) ?? '')) throw error
      }
    },
    run(program: string, ...words: string[]) {
      const line = [program, ...words].map(shellWord).join(' ')
      terminal.out(`${(prefix === '' ? 'run' : 'not run').padEnd(8)} ${line}`)
      if (!is_dry && prefix === '') runProgram(line, program, words)
    },
  }
}

function runProgram(line: string, program: string, words: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, words, { encoding: 'utf8' })
  if (status === 0) return
  throw new SluiceError({
    code: 'install.command',
    message: `${line} failed: ${error ? causeOf(error) : stderr.trim() || `exit code ${status}`}`,
    hint: 'the earlier steps stay done; repair this and run the same command again',
  })
}

/** Turns errors of the machine (rights, space, a directory in the way) into `install.file`. */
function mayFail<Answer>(path: string, act: () => Answer): Answer {
  try {
    return act()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    throw new SluiceError({
      code: 'install.file',
      message: `${path}: ${messageOf(error)}`,
      hint: 'the earlier steps stay done; repair this and run the same command again',
      cause: error,
    })
  }
}

function write(path: string, text: string, mode: number, owner: FileToLay['owner']): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  writeFileAtomic(path, text, mode)
  // The umask of the caller must not remove rights that the service needs.
  chmodSync(path, mode)
  if (owner) chownSync(path, owner.uid, owner.gid)
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
