import { expect, test } from 'vitest'
import { filesTable } from '../../../src/page/html/run-parts.ts'

const assets = ['a.txt', 'b.txt'].map((name, id) => ({
  asset_id: `asset_${id}`,
  name: `docs/${name}`,
  size: 1,
  arrived_ms: 0,
}))

test('the caption says why a table has fewer rows than its heading has files', () => {
  const shown = (copies: number) =>
    filesTable('Files', assets as never, copies, '').text.replaceAll(/<[^>]*>/g, ' ')
  expect(shown(0)).toMatch(/Files \(2\)\s+2 files\s/)
  expect(shown(1)).toMatch(/Files \(3\)\s+2 files of different bytes\s.*1 more file has the same/s)
})
