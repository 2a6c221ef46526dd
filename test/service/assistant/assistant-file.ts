import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../fixture.ts'

/** A configuration of the assistant in a file of its own, with the files beside it. */
export function assistantFile(config: object, beside: Record<string, string> = {}): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(beside))
    writeFileSync(join(folder, name), text, { mode: 0o600 })
  const file = join(folder, 'assistant.json')
  writeFileSync(file, JSON.stringify(config))
  return file
}

export const key = 'sk-test-4f7k2m9q0x3c8v1b6n5z'

export const model_classes = {
  small: [
    { provider: 'openai', model: 'small-o' },
    { provider: 'anthropic', model: 'small-a' },
    { provider: 'google', model: 'small-g' },
  ],
  large: [
    { provider: 'anthropic', model: 'large-a' },
    { provider: 'openai', model: 'large-o' },
  ],
}

/** A configuration of a model at this address, with a key and short waits. */
export function modelFile(
  origin: string,
  more: { model?: object } & Record<string, unknown> = {},
): string {
  const { model, ...rest } = more
  const host = { base_url: `${origin}/v1/`, key_file: 'key', timeout_ms: 10_000, ...model }
  return assistantFile(
    { assistant: 'model', model: host, model_classes, ...rest },
    { key: `${key}\n` },
  )
}
