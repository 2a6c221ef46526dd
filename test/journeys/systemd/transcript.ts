import type { Lab } from './lab.ts'

/** One command of a transcript, as a user types it. */
export interface Typed {
  line: string
  /** Must hold before the command is typed; a user checks until it does. */
  once?: () => Promise<boolean>
  /** Replaces the output in the transcript if it is of no interest (a progress bar of npm). */
  instead?: string
}

/** Output that differs from run to run, each pattern with its replacement. */
export type Masks = readonly (readonly [RegExp | string, string])[]

/**
 * Types the commands one after the other as root, in root's home, and returns the screen. Rejects
 * at the first that fails.
 */
export async function transcriptOf(
  lab: Lab,
  commands: readonly Typed[],
  masks: Masks,
  environment = '',
): Promise<string> {
  const screen: string[] = []
  for (const { line, once, instead } of commands) {
    if (once) await lab.until(`before ${line}`, once)
    const { code, out, err } = await lab.run('bash', '-c', `cd /root; ${environment} ${line} 2>&1`)
    if (code !== 0) {
      const journal = await lab.sh('journalctl --no-pager --quiet --lines=30')
      throw new Error(
        `${line}: exit code ${code}\n${out}${err}\n${journal}\nbefore:\n${screen.join('\n')}`,
      )
    }
    const shown = (instead ?? out).trimEnd()
    screen.push(`# ${line}`, ...(shown === '' ? [] : [shown]), '')
  }
  return masked(screen.join('\n').trimEnd(), masks)
}

function masked(text: string, masks: Masks): string {
  let shown = text
  for (const [pattern, instead] of masks) shown = shown.replaceAll(pattern, instead)
  return shown.replaceAll(/[ \t]+$/gm, '')
}
