import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tmp from 'tmp'

tmp.setGracefulCleanup()
const bench = fileURLToPath(new URL('./run.mjs', import.meta.url))
const sluice = new URL('../../dist/cli/main.js', import.meta.url).href

export interface Ran {
  code: number
  out: string
  errors: string
  json: string
}

export function runBench(...words: string[]): Promise<Ran> {
  const json = join(tmp.dirSync({ unsafeCleanup: true }).name, 'bench.json')
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [bench, '--rounds', '1', '--json', json, ...words],
      (error, out, errors) => {
        resolve({ code: error ? Number(error.code) : 0, out, errors, json })
      },
    )
  })
}

/** Makes a program for --program that runs these lines before it does what Sluice does. */
export function programThat(first: string): string {
  const program = join(tmp.dirSync({ unsafeCleanup: true }).name, 'program.mjs')
  writeFileSync(
    program,
    `import { existsSync, readFileSync, writeFileSync } from 'node:fs'
     const config = JSON.parse(readFileSync(process.argv.at(-1)))
     const watched = config.folders[0].path
     const knows_it = existsSync(config.state_dir)
     ${first}
     await import(${JSON.stringify(sluice)})`,
  )
  return program
}
