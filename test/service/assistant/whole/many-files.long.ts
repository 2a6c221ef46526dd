import { expect, test } from 'vitest'
import { factFiles, uploadAll } from './fact-files.ts'
import { readAll, shareOf, timesRead, withModel } from './rig.ts'

test.each([240, 500])(
  'C-24 of %i files each is in exactly one answered call, and its fact in the answer',
  async (count) => {
    const { model, client } = await withModel()
    const files = factFiles(count)
    const record = await readAll(client, await uploadAll(client, files))
    expect(shareOf(files, record.response)).toBeGreaterThanOrEqual(0.98)
    expect(new Set(timesRead(model, files))).toEqual(new Set([1]))
  },
)
