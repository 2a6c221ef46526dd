import { execFileSync } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { type Stage, stages } from '../../../src/ledger/views/view-files.ts'
import { readStatus } from '../../../src/status/read-status.ts'
import { countsText } from '../../../src/status/text/text.ts'
import type { StatusView } from '../../../src/status/view.ts'
import { agentOf } from '../../page/mcp/agent-rig.ts'
import { beginSignedIn } from '../../page/signed-in.ts'
import { localJourneys } from '../rig/harness.ts'

/** Files with bytes of their own; those of more than a kilobyte are refused. */
function some(place: string, count: number, length = 10): Record<string, string> {
  const names = Array.from({ length: count }, (_, at) => `${place}${at}.txt`)
  return Object.fromEntries(names.map((name) => [name, `${name} `.padEnd(length, 'x')]))
}

/** A path that is longer than the system takes, and two names that are not UTF-8. */
const odd_places = `cd "$1" && printf x > "$(printf 'a\\xff.txt')" && mkdir "$(printf 'd\\xfe')"
  for level in $(seq 22); do mkdir $2 && cd $2; done`

const deep = 'd'.repeat(200)

/** The numbers of the headings that end so, added up. */
function headed(text: string, ends: RegExp): number {
  const titles = [...text.matchAll(/<h2>(.*?)<\/h2>/gs)].map(([, title]) => title!)
  const numbers = titles
    .filter((title) => /^\d/.test(title) && ends.test(title))
    .map((title) => parseInt(title, 10))
  return numbers.reduce((sum, number) => sum + number, 0)
}

localJourneys('counts of a messy tree', (profile) => {
  test('agree on every screen of the page, in status and among the answers to agents', async () => {
    const { journey, config, address, store, as } = await beginSignedIn({
      profile,
      folders: { docs: { exclude: ['*.log'] }, more: {} },
      tree: { ...some('docs/in/', 7), ...some('more/in/', 3) },
      service: { ingest: { max_bytes: 1_000 } },
      config: { uploads: { limit: { files: 20, bytes: 1_000_000_000 } } },
    })
    const refused = { ...some('docs/large/', 4, 2_000), ...some('more/large/', 1, 2_000) }
    const left = { 'docs/a.log': 'log', 'docs/empty.txt': '', 'more/empty.txt': '' }
    execFileSync('bash', ['-c', odd_places, 'bash', journey.at('docs'), deep])
    // The removal of the tree would take the path for too long.
    onTestFinished(() => void execFileSync('rm', ['-r', journey.at(`docs/${deep}`)]))
    journey.write({ ...refused, ...left })
    await journey.until('all are refused', () => refusedFiles() === 5)
    const held = some('docs/held/', 9)
    journey.write(held)
    await journey.until('some are held', () => inStage('blocked upload_limit') > 2)
    await journey.daemon.rescan('docs')
    await journey.idle()
    const removed = journey.file('docs/in/0.txt')!.asset_id!
    await journey.call('DELETE', `/v1/projects/${journey.project_id}/assets/${removed}`)

    function inStage(stage: string): number {
      return journey.files().filter((file) => file.stage === stage).length
    }
    function refusedFiles(): number {
      return inStage('refused')
    }

    for (const [user, names] of [
      ['ada', ['docs', 'more']],
      ['eve', ['docs']],
    ] as const) {
      const status: StatusView = await readStatus(config, system_clock)
      const folders = status.folders.filter(({ name }) =>
        (names as readonly string[]).includes(name),
      )
      const own = { ...status, folders }
      const files = (...wanted: Stage[]) =>
        folders
          .flatMap((folder) => wanted.map((stage) => folder.stages[stage].files))
          .reduce((sum, count) => sum + count, 0)
      const browser = await as(user)
      const overview = (await browser.get('/')).text
      const problems = (await browser.get('/problems')).text
      const { call } = await agentOf(address, store.makeToken(user))

      // Home: the verdict in words, and the table of folders.
      expect(overview).toContain(countsText(own))
      const attention = Number(/(\d+) needs? attention/.exec(countsText(own))?.[1])
      const cells = (name: string) =>
        [...overview.matchAll(new RegExp(`data-column="${name}"><div>(\\d+)</div>`, 'g'))]
          .map(([, count]) => Number(count))
          .reduce((sum, count) => sum + count, 0)
      expect(cells('In')).toBe(files('ready'))
      expect(cells('Attention')).toBe(attention)
      expect(cells('On the way')).toBe(files('settling', 'waiting', 'sending', 'ingesting'))

      // Problems: every file and place once.
      expect(headed(problems, / refused: /)).toBe(files('refused'))
      expect(headed(problems, / blocked: | held back: /)).toBe(files('blocked'))
      expect(headed(problems, / removed on service: /)).toBe(files('removed_on_service'))
      const scans = folders.flatMap(({ last_scan }) => last_scan ?? [])
      const places = scans.reduce((sum, scan) => sum + scan.unreadable_total, 0)
      const odd_names = scans.reduce((sum, scan) => sum + scan.odd_names_total, 0)
      expect([places, odd_names], 'in this tree').toEqual([1, 2])
      expect(headed(problems, /: cannot be read /)).toBe(places)
      expect(headed(problems, / the names are not UTF-8/)).toBe(odd_names)
      expect(headed(problems, /./)).toBe(attention)

      // The status for agents.
      const { data: told } = await call('status')
      const sum = (list: Record<string, number>[], field: string) =>
        list.reduce((total, each) => total + each[field]!, 0)
      expect(sum(told.folders, 'in')).toBe(files('ready'))
      expect(sum(told.folders, 'attention')).toBe(attention)
      expect(sum(told.attention, 'count')).toBe(attention)

      // The list of files, and agents.
      for (const stage of stages) {
        const listed = (await browser.get(`/files?state=${stage}`)).text
        expect([...listed.matchAll(/data-column="State"/g)], stage).toHaveLength(files(stage))
        const { data } = await call('search_files', { states: [stage], limit: 100 })
        expect(data.files, stage).toHaveLength(files(stage))
      }
    }
    const still_held = journey.files().filter(({ stage }) => stage.startsWith('blocked'))
    journey.ends({
      left_out: [...Object.keys({ ...refused, ...left }), ...still_held.map(({ name }) => name)],
    })
  })
})
