import { createServer } from 'node:http'
import { listen } from '../base/net/http-server.ts'
import { isSluiceError } from '../base/run/errors.ts'

/**
 * A port of this machine that is free now: this one, or another where it is taken. A configuration
 * must name one, so that `sluice page` can.
 */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer()
  try {
    return await listen(server, '127.0.0.1', wanted)
  } catch (error) {
    if (wanted === 0 || !isSluiceError(error, 'http.listen')) throw error
    return await freePort()
  } finally {
    server.close()
  }
}
