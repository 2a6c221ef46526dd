import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tmp from 'tmp'
import { expect, test } from 'vitest'

tmp.setGracefulCleanup()
const bench = fileURLToPath(new URL('./run.mjs', import.meta.url))
const sluice = new URL('../../dist/cli/main.js', import.meta.url).href

interface Ran {
  code: number
  out: string
  errors: string
  json: string
}

function runBench(...words: string[]): Promise<Ran> {
  const json = join(tmp.dirSync({ unsafeCleanup: true }).name, 'bench.json')
  return new Promise((resolve) => {
    execFile(process.execPath, [bench, '--rounds', '1', '--json', json, ...words], (error, out, errors) => {
      resolve({ code: error ? Number(error.code) : 0, out, errors, json })
    })
  })
}

/** A program for --program that does something before it does what Sluice does. */
function programThat(first: string): string {
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

const figure = { median: expect.any(Number), least: expect.any(Number), most: expect.any(Number) }

test('measures a rescan and a first sync, and writes what it prints', async () => {
  const { code, out, errors, json } = await runBench('--files', '100')
  expect(errors).toBe('')
  expect(code).toBe(0)
  const results = JSON.parse(readFileSync(json, 'utf8'))
  const against = { of_bare_rate: figure, sluice_files_per_s: figure, sluice_peak_mb: figure, bare_peak_mb: figure }
  expect(results).toMatchObject({
    rounds: 1,
    rescan: { files: 100, find_s: figure, net_s: figure, times_find: figure, peak_mb: figure },
    sync: { files: 100, file_bytes: 4_096, connections: 8, local_service: against, null_service: against },
  })
  expect(results.aims).toHaveLength(6)
  expect(results.sync.local_service.sluice_peak_mb.median).toBeGreaterThan(20)
  expect(out).toContain(`${results.sync.null_service.of_bare_rate.median} `)
})

test('no figures for a program that does nothing', async () => {
  const { code, errors } = await runBench(
    '--files',
    '20',
    '--only',
    'rescan',
    '--program',
    programThat('process.exit()'),
  )
  expect(code).toBe(1)
  expect(errors).toMatch(/^no figures: /)
})

test('no figures when a rescan reports another file than those that were touched', async () => {
  const touch = `if (knows_it && watched.endsWith('watched')) writeFileSync(watched + '/more.txt', 'not by the bench')
                 await new Promise((resolve) => setTimeout(resolve, 200))`
  const { code, errors } = await runBench('--files', '20', '--only', 'rescan', '--program', programThat(touch))
  expect(code).toBe(1)
  expect(errors).toMatch(/^no figures: reported as added: 2 \(/)
})

test('no figures when not all files of a first sync are in', async () => {
  const hide = `config.folders[0].exclude = ['minutes-7.txt']
                writeFileSync(process.argv.at(-1), JSON.stringify(config))`
  const { code, errors } = await runBench('--files', '20', '--only', 'sync', '--program', programThat(hide))
  expect(code).toBe(1)
  expect(errors).toMatch(/^no figures: 19 of 19 files in the ledger are ready; there are 20 in the folder/)
})

test.each([
  ['--only=neither', '--only is rescan or sync'],
  ['--rounds=0', '--rounds is a whole number from 1 on'],
])('%s is refused', async (word, message) => {
  const { code, errors } = await runBench(word)
  expect(code).not.toBe(0)
  expect(errors).toContain(message)
})
