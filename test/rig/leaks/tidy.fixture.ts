import { createServer } from 'node:net'
import { afterAll, test } from 'vitest'

const server = createServer()
afterAll(() => void server.close())

test('closes what it opens, if only in its own afterAll', async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
