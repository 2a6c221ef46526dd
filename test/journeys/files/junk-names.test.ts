import { expect, test } from 'vitest'
import { explain } from '../../../src/inspect/explain/explain.ts'
import { planUploads } from '../../../src/inspect/plan/plan.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import { agentOf } from '../../page/mcp/agent-rig.ts'
import { beginSignedIn } from '../../page/signed-in.ts'
import { localJourneys } from '../rig/harness.ts'

/** Documents in directories that have the names of junk files. */
const documents = [
  'Budget.part/2026/plan.txt',
  'Notes.asd/notes.txt',
  'Thumbs.db/list.txt',
  'old~/old.txt',
  'Q1.download/q1.txt',
]
/** Junk, and the rule that each way to ask must name. */
const junk = [
  ['Budget.part/draft.docx.part', '*.part'],
  ['setup.exe:SmartScreen', '*.*:SmartScreen'],
  ['report.pdf.download/report.pdf', '*.pdf.download/'],
  ['@tmp/work.txt', '@tmp/'],
  ['base.ldb', '*.ldb'],
] as const

localJourneys('names of junk', (profile) => {
  test('leave out no directory of a user, and every way to ask says so', async () => {
    const treeOf = (paths: readonly string[]) =>
      Object.fromEntries(paths.map((path) => [`docs/${path}`, `text of ${path}`]))
    const tree = treeOf(documents)
    const { journey, address, store, as } = await beginSignedIn({ profile, tree })
    journey.write(treeOf(junk.map(([path]) => path)))
    await journey.daemon.rescan('docs')
    await journey.idle()
    expect(journey.stages()).toEqual(
      Object.fromEntries(documents.map((path) => [`docs/${path}`, 'ready'])),
    )
    const config = journey.config()
    const ledger = openLedgerView(config.state_dir)
    const browser = await as('ada')
    const { call } = await agentOf(address, store.makeToken('ada'))
    try {
      const plan = await planUploads({ config, ledger, hash: false, now_ms: Date.now() })
      const rules = plan.folders[0]!.seen!.ignored.map(({ rule }) => rule)
      expect(rules.sort()).toEqual(junk.map(([, rule]) => rule).sort())
      for (const [path, rule] of junk) {
        const place = { folder: 'docs', path }
        const { ignored_by } = explain({
          config,
          ledger,
          place,
          daemon_runs: true,
          now_ms: Date.now(),
        })
        expect(ignored_by?.rule).toBe(rule)
        const { text } = await browser.get(`/find?${new URLSearchParams({ path: `docs/${path}` })}`)
        expect(text).toMatch(/<p class="verdict warn">Ignored/)
        const { data } = await call('is_it_in', { file: `docs/${path}` })
        expect(data.files).toMatchObject([{ is_in: false, state: 'ignored' }])
      }
      for (const path of documents)
        expect((await call('why_not', { file: `docs/${path}` })).data.state).toBe('ready')
    } finally {
      ledger.close()
    }
    journey.ends({ left_out: junk.map(([path]) => `docs/${path}`) })
  })
})
