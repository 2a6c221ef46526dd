import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { isNotRoot } from '../rig/root-only.ts'
import { until } from '../rig/waiting.ts'

/** A filesystem of a program, which a test stops and continues. */
export interface HungMount {
  /** From now on no call to it is answered. */
  stop(): void
  /** Stops after this many more requests of the kernel (`LOOKUP`, `OPENDIR`, `OPEN` …). */
  stopAfter(request: string, count: number): Promise<void>
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
  // With -d it prints each request.
  const program = spawn('bindfs', ['-d', source, place], { stdio: ['ignore', 'ignore', 'pipe'] })
  const lines = createInterface({ input: program.stderr })
  onTestFinished(() => {
    program.kill('SIGCONT')
    spawnSync('umount', ['-l', place])
    program.kill('SIGKILL')
  })
  const isMounted = () => readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${place} `)
  await until('bindfs has mounted', isMounted)
  const stop = () => void program.kill('SIGSTOP')
  return {
    stop,
    stopAfter(request, count) {
      let left = count
      return new Promise((stopped) => {
        const onLine = (line: string) => {
          if (!line.includes(` opcode: ${request} `)) return
          left -= 1
          if (left > 0) return
          stop()
          lines.off('line', onLine)
          stopped()
        }
        lines.on('line', onLine)
      })
    },
    goOn: () => void program.kill('SIGCONT'),
  }
}
