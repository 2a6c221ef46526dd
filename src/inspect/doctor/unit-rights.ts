import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { messageOf } from '../../base/run/errors.ts'
import { builtModule } from '../../base/run/thread.ts'
import type { UsableConfig } from '../../config/resolve/usable.ts'
import { hasUser, idsOf } from '../unit/unit-facts.ts'
import { type Check, type DoctorLimits, type DoctorTools, findings, withinTime } from './check.ts'
import type { FoundUnit } from './find-unit.ts'

/** The question to the child process, as JSON. */
export interface RightsQuestion {
  config: UsableConfig
  limits: DoctorLimits
  /** The user, named in the results. */
  user: string
  /** Files that the user must be able to read, besides the secret files. */
  files: string[]
  /** Paths that gave no answer; nothing below them is accessed. */
  unresponsive: string[]
}

/**
 * Returns the user of the unit if this is root, whose own rights say nothing. Undefined for other
 * users, and for a unit that may read everything, too.
 */
export function userToTry(
  uid: number | undefined,
  unit: FoundUnit | undefined,
): string | undefined {
  return uid === 0 && unit?.user !== 'root' ? unit?.user : undefined
}

/**
 * Checks rights in a process with the user and groups of the unit. `is_tried` is false if that
 * failed.
 */
export async function checkUnitRights(
  unit: FoundUnit,
  question: RightsQuestion,
  { clock, limits }: Pick<DoctorTools, 'clock' | 'limits'>,
): Promise<{ checks: Check[]; is_tried: boolean }> {
  const { user } = question
  const { warning } = findings('user', user)
  const notTried = (why: string) => ({
    checks: [
      warning(`rights were not tried as the unit’s user: ${why}`, `sudo -u ${user} sluice doctor`),
    ],
    is_tried: false,
  })
  if (!hasUser(user)) return notTried('there is no such user yet')
  const limit_ms = limits.answer_ms + limits.walk_ms * Math.max(1, question.config.folders.length)
  return withinTime(
    clock,
    limit_ms,
    async (signal) => {
      const { out, err } = await ask(unit, question, signal)
      return isAnswer(out)
        ? { checks: JSON.parse(out) as Check[], is_tried: true }
        : notTried(err || 'no answer')
    },
    () => notTried('no answer in time'),
  )
}

function isAnswer(out: string): boolean {
  return out.startsWith('[') && out.endsWith('\n')
}

function ask(
  unit: FoundUnit,
  question: RightsQuestion,
  signal: AbortSignal,
): Promise<{ out: string; err: string }> {
  const { uid, gid } = idsOf(question.user)
  const own = spawnSync('id', ['-G', question.user], { encoding: 'utf8' }).stdout.trim().split(' ')
  const rights = ['--reuid', uid, '--regid', gid, '--groups', [...own, ...unit.gids].join(',')]
  const words = [
    ...rights,
    '--',
    process.execPath,
    fileURLToPath(builtModule('inspect/doctor/unit-rights-child')),
  ]
  const child = spawn('setpriv', words, {
    cwd: '/',
    env: { HOME: '/nonexistent' },
    signal,
    killSignal: 'SIGKILL',
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    // The answer is complete. A blocked thread could delay the end of the process.
    if (isAnswer(out)) child.kill('SIGKILL')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  child.stdin.on('error', () => {}) // The process has ended: the missing answer is reported.
  child.stdin.end(JSON.stringify(question))
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ out: '', err: messageOf(error) }))
    child.on('close', () => resolve({ out, err: faultIn(err) }))
  })
}

/** The line with the error: Node writes stack and version below it. */
function faultIn(output: string): string {
  const lines = output.trim().split('\n')
  const line = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? ''
  return messageOf(line.replace(/^Error: /, ''))
}
