import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startReader } from '../../../src/service/reading/reader.ts'
import { temporaryFolder } from '../fixture.ts'

test('a call after the close starts no thread', async () => {
  const folder = temporaryFolder()
  const at = (name: string) => join(folder, name)
  const reader = startReader({
    database: at('service.db'),
    passages: at('passages.db'),
    objects: at('objects'),
    max_bytes: 1_000,
  })
  await reader.close()
  await expect(reader.ask('forget', [])).rejects.toMatchObject({ code: 'thread.ended' })
})
