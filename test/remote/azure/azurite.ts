import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { on, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  BlobSASPermissions,
  BlobServiceClient,
  type ContainerClient,
  generateBlobSASQueryParameters,
  RestError,
  StorageSharedKeyCredential,
} from '@azure/storage-blob'
import { makeTree } from '../../rig/tree.ts'

const program = fileURLToPath(
  new URL('node_modules/azurite/dist/src/blob/main.js', import.meta.url),
)
const account = 'sluice'
/** It loads some hundreds of modules. */
const max_start_ms = 40_000

/** The store's entry under a name. */
export interface StoredBlob {
  size: number
  /** The store computed it when the bytes came in; hexadecimal. */
  md5: string
  content_type: string
}

/** Azurite in a process of its own, with an account and a key for this process alone. */
export interface Azurite {
  readonly port: number
  makeContainer(): Promise<Container>
  stop(): Promise<void>
}

/** An empty container in the store: each test has its own. */
export interface Container {
  /** The path and query of a URL that allows to write this blob until then: a real SAS. */
  mint(name: string, expires_at_ms: number): string
  stat(name: string): Promise<StoredBlob | undefined>
  /** MD5 of the bytes as the store returns them, hexadecimal. */
  readMd5(name: string): Promise<string>
  names(): Promise<string[]>
}

export async function startAzurite(): Promise<Azurite> {
  const key = randomBytes(64).toString('base64')
  // Telemetry is off, because it would use the network. The SDK speaks a newer version of the
  // protocol than Azurite knows, which changes nothing here.
  const words = [
    '--blobPort',
    '0',
    '--location',
    makeTree(),
    '--silent',
    '--disableTelemetry',
    '--skipApiVersionCheck',
  ]
  const child = spawn(process.execPath, [program, ...words], {
    env: { ...process.env, AZURITE_ACCOUNTS: `${account}:${key}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const origin = await originSaidBy(child)
    const credential = new StorageSharedKeyCredential(account, key)
    const service = new BlobServiceClient(`${origin}/${account}`, credential)
    let containers = 0
    return {
      port: Number(new URL(origin).port),
      async makeContainer() {
        const blobs = service.getContainerClient(`assets-${containers++}`)
        await blobs.create()
        return containerOf(blobs, credential)
      },
      stop: () => stop(child),
    }
  } catch (error) {
    await stop(child)
    throw error
  }
}

function containerOf(blobs: ContainerClient, credential: StorageSharedKeyCredential): Container {
  const { containerName } = blobs
  return {
    mint(blobName, expires_at_ms) {
      const permissions = BlobSASPermissions.parse('cw')
      const signed = { containerName, blobName, permissions, expiresOn: new Date(expires_at_ms) }
      return `/${account}/${containerName}/${blobName}?${generateBlobSASQueryParameters(signed, credential)}`
    },
    async stat(name) {
      try {
        const {
          contentLength = -1,
          contentMD5,
          contentType = '',
        } = await blobs.getBlobClient(name).getProperties()
        return {
          size: contentLength,
          md5: Buffer.from(contentMD5 ?? []).toString('hex'),
          content_type: contentType,
        }
      } catch (error) {
        if (error instanceof RestError && error.statusCode === 404) return undefined
        throw error
      }
    },
    async readMd5(name) {
      const { readableStreamBody } = await blobs.getBlobClient(name).download()
      const md5 = createHash('md5')
      for await (const piece of readableStreamBody!) md5.update(piece)
      return md5.digest('hex')
    },
    async names() {
      const names: string[] = []
      for await (const { name } of blobs.listBlobsFlat()) names.push(name)
      return names.sort()
    },
  }
}

/** Azurite prints its address in a line for users. */
async function originSaidBy(child: ChildProcess): Promise<string> {
  const patience = AbortSignal.timeout(max_start_ms)
  let said = ''
  for await (const [piece] of on(child.stdout!, 'data', { signal: patience, close: ['end'] })) {
    said += piece
    const origin = /listen\w* (?:at|on) (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1]
    if (origin !== undefined) return origin
  }
  throw new Error(`Azurite ended before it listened: ${said}`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}
