import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import type { Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { makeFifo, makeRawDirectory, makeSocket, writeRawFile } from '../../disk/odd-entries.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

const sockets: Server[] = []
afterEach(async () => {
  await Promise.all(
    sockets.splice(0).map((server) => new Promise((resolve) => server.close(resolve))),
  )
})

async function addOddEntries(journey: Journey, prefix: string): Promise<void> {
  const docs = journey.at('docs')
  writeRawFile(docs, `${prefix} caf\xe9.txt`, 'a name in latin1')
  makeRawDirectory(docs, `${prefix} caf\xe9 folder`)
  makeFifo(docs, `${prefix} pipe`)
  sockets.push(await makeSocket(docs, `${prefix} socket`))
  symlinkSync('/etc/passwd', journey.at(`docs/${prefix} link to a file outside`))
  symlinkSync('/etc', journey.at(`docs/${prefix} link to a folder outside`))
  symlinkSync('.', journey.at(`docs/${prefix} loop`))
  symlinkSync('nowhere', journey.at(`docs/${prefix} dangling`))
}

function summaryOf(journey: Journey) {
  return JSON.parse(journey.folder()?.scan_summary ?? '{}') as {
    odd_names_total?: number
    special?: { kind: string; count: number }[]
  }
}

localJourneys('entries that are neither file nor folder', (profile) => {
  test('a subfolder that cannot be listed is reported with the watcher; all other files are uploaded', async () => {
    const journey = await begin(
      { profile, tree: { 'docs/a.txt': 'a', 'docs/z/z.txt': 'z' } },
      'not started',
    )
    const name = 'n'.repeat(250)
    // The path is longer than PATH_MAX, which is 4,096 with the root.
    const deep = `for i in $(seq 17); do mkdir ${name} && cd -P ${name} || exit 1; done`
    execFileSync('bash', ['-c', deep], { cwd: journey.at('docs') })
    await journey.start()
    await journey.stage('docs/a.txt', 'ready')
    await journey.until('it is said', async () => {
      const [docs] = await journey.daemon.ledger.folders()
      return (
        docs?.watch?.reason.includes('; not all of the folder is watched: name too long') ?? false
      )
    })
    journey.write({ 'docs/z/later.txt': 'later' })
    await journey.stage('docs/z/later.txt', 'ready')
    execFileSync('rm', ['-rf', journey.at(`docs/${name}`)])
  })

  test('are reported and delay nothing: present from the start, and added later', async () => {
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'a' } }, 'not started')
    await addOddEntries(journey, 'first')
    await journey.start()
    await journey.allReady()
    await journey.until(
      'the scan reports them',
      () => (summaryOf(journey).odd_names_total ?? 0) >= 2,
    )
    const { special = [] } = summaryOf(journey)
    expect(special.reduce((sum, { count }) => sum + count, 0)).toBe(6)

    await addOddEntries(journey, 'second')
    journey.write({ 'docs/b.txt': 'b' })
    await journey.stage('docs/b.txt', 'ready')
    journey.daemon.rescan('docs')
    await journey.until(
      'the scan reports all',
      () => (summaryOf(journey).odd_names_total ?? 0) >= 4,
    )
    await journey.idle()
    expect(journey.stages()).toEqual({ 'docs/a.txt': 'ready', 'docs/b.txt': 'ready' })
    expect(journey.assets()).toHaveLength(2)
  })

  test('a file is replaced by a pipe, another by a link to a file outside', async () => {
    const journey = await begin({
      profile,
      tree: { 'docs/a.txt': 'a', 'docs/b.txt': 'b', 'docs/c.txt': 'c' },
    })
    await journey.allReady()
    const [a, b] = ['docs/a.txt', 'docs/b.txt'].map((name) => journey.file(name)!.md5!)
    journey.remove('docs/a.txt')
    makeFifo(journey.at('docs'), 'a.txt')
    journey.remove('docs/b.txt')
    symlinkSync('/etc/passwd', journey.at('docs/b.txt'))
    await journey.stage('docs/a.txt', 'gone')
    await journey.stage('docs/b.txt', 'gone')
    await journey.idle()
    expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
    journey.ends({ also_there: [a!, b!] })
  })
})
