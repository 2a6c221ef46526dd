import { randomBytes } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test_certificate, test_key } from '../../remote/test-certificate.ts'
import type { Service } from '../../rig/local-service.ts'

/** An answer instead of the service's own. */
export interface Instead {
  status: number
  type: string
  body: string
}

/**
 * A proxy between the daemon and the local service, for both origins. It records every secret that
 * it sees, and adds secrets to each upload: a parameter `sig` in the URL, as Azure has it, and a
 * header with a random value. The blob side requires both, and removes them.
 */
export class RecordingProxy {
  api = ''
  blob = ''
  /** An address that speaks TLS with a certificate of an unknown authority. */
  tls = ''
  /**
   * Query strings, their signing values, and the values of upload headers. None may be found
   * anywhere.
   */
  readonly handed_out = new Set<string>()
  /** Number of uploads with the expected secrets. */
  uploads = 0
  /** Called before each call is forwarded. */
  onApi: (call: string, last_secrets: string, body: string) => Instead | undefined = () => undefined
  onBlob: (last_secrets: string) => Instead | undefined = () => undefined
  readonly #service: Service
  readonly #servers: Server[] = []
  #last_secrets = ''

  constructor(service: Service) {
    this.#service = service
  }

  async listen(): Promise<void> {
    const answer = (
      work: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
    ) => {
      return (request: IncomingMessage, response: ServerResponse) =>
        void work(request, response).catch(() => response.destroy())
    }
    const api = createServer(answer((request, response) => this.#passApi(request, response)))
    const blob = createServer(answer((request, response) => this.#passBlob(request, response)))
    const tls = createTlsServer({ key: test_key, cert: test_certificate }, (_request, response) =>
      response.end(),
    )
    this.api = `http://127.0.0.1:${await this.#open(api)}`
    this.blob = `http://127.0.0.1:${await this.#open(blob)}`
    this.tls = `https://127.0.0.1:${await this.#open(tls)}`
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.closeAllConnections()
    await Promise.all(
      this.#servers.map((server) => new Promise((resolve) => server.close(resolve))),
    )
  }

  async #open(server: Server): Promise<number> {
    this.#servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  async #passApi(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = `${incoming.method} ${incoming.url}`
    const body = await bytesOf(incoming)
    const instead = this.onApi(call, this.#last_secrets, body.toString())
    if (instead) return send(response, instead)
    const answer = await passOn(this.#service.api, incoming, body)
    if (call === 'POST /v1/assets' && answer.status === 201) answer.body = this.#note(answer.body)
    send(response, answer)
  }

  async #passBlob(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(incoming)
    const instead = this.onBlob(this.#last_secrets)
    if (instead) return send(response, instead)
    const url = new URL(incoming.url ?? '', this.#service.blob)
    const [sig, header] = [url.searchParams.get('sig') ?? '', incoming.headers['x-upload-secret']]
    if (!this.handed_out.has(sig) || typeof header !== 'string' || !this.handed_out.has(header)) {
      return send(response, {
        status: 403,
        type: 'application/xml',
        body: '<Error><Code>NotOurs</Code></Error>',
      })
    }
    this.uploads++
    url.searchParams.delete('sig')
    incoming.url = url.pathname + url.search
    delete incoming.headers['x-upload-secret']
    send(response, await passOn(this.#service.blob, incoming, body))
  }

  /** The answer as the daemon gets it. */
  #note(text: string): string {
    const created = JSON.parse(text) as {
      upload_url: string
      upload_headers: Record<string, string>
    }
    const url = new URL(created.upload_url)
    this.handed_out.add(url.search.slice(1)).add(url.searchParams.get('signature')!)
    const [sig, secret] = [
      randomBytes(24).toString('base64url'),
      randomBytes(24).toString('base64url'),
    ]
    url.searchParams.set('sig', sig)
    this.handed_out.add(sig).add(secret)
    const upload_url = this.blob + url.pathname + url.search
    const upload_headers = { ...created.upload_headers, 'X-Upload-Secret': secret }
    this.#last_secrets = `PUT ${upload_url} ${JSON.stringify(upload_headers)} sig=${sig}`
    return JSON.stringify({ ...created, upload_url, upload_headers })
  }
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

function passOn(
  origin: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<Instead> {
  const { host: _host, 'content-length': _length, ...others } = headers
  return new Promise((resolve, reject) => {
    const sent = {
      method: method ?? 'GET',
      headers: { ...others, 'content-length': body.length },
      agent: false as const,
    }
    const outgoing = request(new URL(url ?? '', origin), sent, (answer) => {
      bytesOf(answer).then(
        (bytes) =>
          resolve({
            status: answer.statusCode!,
            type: answer.headers['content-type'] ?? '',
            body: bytes.toString(),
          }),
        reject,
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function send(response: ServerResponse, { status, type, body }: Instead): void {
  response.writeHead(status, {
    ...(type === '' ? {} : { 'content-type': type }),
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}
