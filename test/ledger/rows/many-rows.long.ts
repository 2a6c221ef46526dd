import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { makeStore } from '../../rig/tree.ts'
import { builtModule } from '../../rig/unprivileged.ts'
import { no_limits } from '../fixture.ts'

const rows = 30_000
/** Too little memory for all rows, if they are read at once. */
const maxOldGenerationSizeMb = 24

const script = `
import { parentPort, workerData } from 'node:worker_threads'
import { createLedgerStore } from '${builtModule('ledger/store')}'
const { place, limits, rows, state, reason, facts } = workerData
const store = createLedgerStore({ ledger: place + '/ledger.db', tickets: place + '/tickets.db' }, limits)
const plain = { name: 'docs', root: '/docs', project_id: 'p', labels: [], label_from: 'none', rules: 'old' }
store.record([{ type: 'folder_configured', folder: plain }], 1)
store.database.transaction(() => {
  const insert = store.database.prepare(
    \`INSERT INTO files (folder, path, state, size, mtime_ns, ctime_ns, inode, seen_ms, reason) VALUES (1, ?, ?, 10, 1, 1, ?, 1, ?)\`)
  for (let row = 0; row < rows; row++) insert.run('archive/customer ' + (row % 100) + '/some document ' + row + '.pdf', state, row, reason)
  store.database.prepare('INSERT INTO counts VALUES (1, ?, ?, ?)').run(state, rows, rows * 10)
})()
store.record(facts, 2)
const counts = store.database.prepare('SELECT stage, files, bytes FROM counts WHERE files <> 0').all()
const due = store.database.prepare(\`SELECT count(*) FROM files WHERE state = 'seen' AND not_before_ms = 2\`).pluck().get()
store.close()
parentPort.postMessage({ counts, due })
`

const plain = {
  name: 'docs',
  root: '/docs',
  project_id: 'p',
  labels: [],
  label_from: 'none',
  rules: 'old',
}

test.each([
  [
    'new rules',
    'skipped',
    'too_large',
    { type: 'folder_configured', folder: { ...plain, rules: 'new' } },
  ],
  [
    'another project',
    'skipped',
    'too_large',
    { type: 'folder_configured', folder: { ...plain, project_id: 'q' } },
  ],
  ['accept all', 'blocked', 'upload_limit', { type: 'accepted', folder: 'docs', path: '' }],
  [
    'retry a directory',
    'blocked',
    'unreadable',
    { type: 'retried', folder: 'docs', path: 'archive' },
  ],
])(
  '%s: the rows of a large folder are changed page by page, in little memory',
  async (_what, state, reason, fact) => {
    const place = makeStore()
    const file = join(place, 'worker.mjs')
    writeFileSync(file, script)
    const workerData = { place, limits: no_limits, rows, state, reason, facts: [fact] }
    const worker = new Worker(file, { workerData, resourceLimits: { maxOldGenerationSizeMb } })
    const answer = await new Promise((resolve, reject) =>
      worker.once('message', resolve).once('error', reject),
    )
    expect(answer).toEqual({
      counts: [{ stage: 'seen', files: rows, bytes: rows * 10 }],
      due: rows,
    })
  },
)
