import type { Lab } from './lab.ts'

/** One command of a transcript, as a person types it. */
export interface Typed {
  line: string
  /** Something that is true before it is typed: a person looks again until it is. */
  once?: () => Promise<boolean>
  /** What is shown in the place of its output, where that is of no interest (a progress of npm). */
  instead?: string
}

/** What differs from run to run, each pattern with what stands in its place. */
export type Masks = readonly (readonly [RegExp | string, string])[]

/** Types the commands one after the other, as root in root's home, and answers what stood on the screen. Rejects at the first that fails. */
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
      throw new Error(`${line}: exit code ${code}\n${out}${err}\n${journal}\nbefore:\n${screen.join('\n')}`)
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
