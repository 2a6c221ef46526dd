/** Codes of JSON-RPC 2.0. The package with their names is loaded for agents alone. */
export const parse_error = -32_700
export const invalid_request = -32_600
export const server_error = -32_000

/** An answer to what is no request, so it has no id. */
export function rpcError(code: number, message: string) {
  return { jsonrpc: '2.0', error: { code, message }, id: null }
}
