import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { onTestFinished } from 'vitest'

export interface Told {
  text: string
  is_error: boolean
  // biome-ignore lint/suspicious/noExplicitAny: each tool has an answer of its own
  data: any
}

/** An agent: the official client over the page, with this token. */
export function agentOf(address: string, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  return connected(
    new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } }),
  )
}

export async function connected(transport: unknown) {
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  // The types of the package are not made for exactOptionalPropertyTypes.
  await client.connect(transport as Transport)
  return {
    client,
    async call(
      name: string,
      given: Record<string, unknown> = {},
      options?: RequestOptions,
    ): Promise<Told> {
      const wanted = { name, arguments: given }
      const {
        content,
        structuredContent,
        isError = false,
        _meta,
      } = await client.callTool(wanted, undefined, options)
      const [{ text }] = content as [{ text: string }]
      const data = isError ? { error: _meta?.['sluice/error'] } : structuredContent
      return { text, data, is_error: isError === true }
    },
  }
}
