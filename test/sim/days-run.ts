import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('run.mjs', import.meta.url))

const folder = fileURLToPath(new URL('days/', import.meta.url))
/** Files of the days that failed once. */
export const days: readonly string[] = readdirSync(folder).map((name) => folder + name)

/** Runs `npm run sim -- …`; returns its output and exit code. */
export function runSim(...given: string[]): Promise<{ status: number | null; lines: string[] }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...given], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    child.on('close', (status) => resolve({ status, lines: text.trimEnd().split('\n') }))
  })
}
