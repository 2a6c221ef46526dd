import { expect, onTestFinished, test } from 'vitest'
import { refused_fact } from '../../../src/domain/fact.ts'
import { reachedBy } from '../../../src/inspect/files/user-requests.ts'
import { contentThing } from '../../../src/ledger/refused-facts.ts'
import { openPassView } from '../../../src/ledger/views/view-pass.ts'
import { openRig, project_id } from '../../ledger/views/view-rig.ts'

const other_project_id = 'project_ABCDEFGHIJ0123456789'

test('a retry names only the troubles that hold its own files', async () => {
  const rig = await openRig()
  const [a, b] = [await rig.settle('a.txt'), await rig.settle('sub/b.txt')]
  const about = [
    `project:${project_id}`,
    `uploads:${project_id}`,
    `labels:${project_id}`,
    `project:${other_project_id}`,
    'account',
    refused_fact + contentThing(a),
    refused_fact + contentThing(b),
    `${refused_fact}notes/a.txt`,
    `${refused_fact}notes/z.txt`,
    `${refused_fact}folder`,
  ]
  for (const each of about) {
    const error = { code: 'some.code', message: each }
    await rig.record({ type: 'trouble_began', about: each as 'account', error })
  }
  const pass = openPassView(rig.state_dir)
  onTestFinished(() => pass.close())
  const heldBy = (path: string) => {
    const facts = [{ type: 'retried', folder: 'notes', path }] as const
    const folders = [{ name: 'notes', project_id }] as never
    const [reached] = reachedBy([{ where: path, facts }], { folders }, pass, rig.clock.now_ms())
    return new Set(reached!.held_by)
  }
  const all = [`project:${project_id}`, `uploads:${project_id}`, 'account']
  const of_a = [refused_fact + contentThing(a), `${refused_fact}notes/a.txt`]
  expect(heldBy('a.txt')).toEqual(new Set([...all, ...of_a]))
  expect(heldBy('sub/b.txt')).toEqual(new Set([...all, refused_fact + contentThing(b)]))
  expect(heldBy('')).toEqual(new Set(all))
})
