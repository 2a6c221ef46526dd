import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { isNotRoot } from '../rig/root-only.ts'
import { until } from '../rig/waiting.ts'

/** A filesystem of a program, which a test stops and continues. */
export interface HungMount {
  /** From now on no call to it is answered. */
  stop(): void
  /** It answers again, also to the calls that wait. */
  goOn(): void
}

/** True if this machine cannot mount with bindfs; then it prints why. */
export function cannotHang(): boolean {
  if (isNotRoot('a FUSE mount that hangs')) return true
  const { error } = spawnSync('bindfs', ['--version'])
  if (error) console.log(`skipped: a FUSE mount that hangs, because bindfs is missing (${error})`)
  return error !== undefined
}

/** Shows `source` at `place`, by bindfs. The end of the test continues and unmounts it. */
export async function mountThatHangs(source: string, place: string): Promise<HungMount> {
  mkdirSync(source, { recursive: true })
  mkdirSync(place, { recursive: true })
  const program = spawn('bindfs', ['-f', source, place], { stdio: 'ignore' })
  onTestFinished(() => {
    program.kill('SIGCONT')
    spawnSync('umount', ['-l', place])
    program.kill('SIGKILL')
  })
  const isMounted = () => readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${place} `)
  await until('bindfs has mounted', isMounted)
  return {
    stop: () => void program.kill('SIGSTOP'),
    goOn: () => void program.kill('SIGCONT'),
  }
}
