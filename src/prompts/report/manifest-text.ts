import type { Manifest } from '../manifest.ts'

/** A manifest beyond this is not read back: such a file is not ours. */
export const manifest_bytes_most = 64 * 1024 * 1024

export interface ManifestText {
  text: string
  /** What there was no room for; for people. */
  left_out: string | undefined
}

/**
 * A manifest as it can be read back. One that is too large first loses its indentation, then what the report and the ledger have as
 * well, and in the end all but what tells a lost ledger what the prompt was told: half a million assets have room for that.
 */
export function manifestText(manifest: Manifest, most_bytes = manifest_bytes_most): ManifestText {
  const { turns, assets } = manifest
  const brief_turns = turns.map(({ body: _, answer: __, ...turn }) => turn)
  const bare_assets = assets.map(({ md5, size }) => ({ md5, size }))
  const texts = 'the questions and answers'
  const all = `${texts}, the refusals, and all of the files but md5 and size`
  const tries: [left_out: string | undefined, value: object, indent?: number][] = [
    [undefined, manifest, 2],
    [undefined, manifest],
    [texts, { ...manifest, left_out: texts, turns: brief_turns }],
    [all, { ...manifest, left_out: all, turns: brief_turns, refusals: [], assets: bare_assets }],
  ]
  for (const [left_out, value, indent] of tries) {
    const text = textOf(value, indent)
    if (text !== undefined && Buffer.byteLength(text) <= most_bytes) return { text, left_out }
  }
  throw new Error(
    `the manifest of ${assets.length} files is larger than ${most_bytes} bytes, whatever is left out of it`,
  )
}

/** Undefined: longer than a text can be. */
function textOf(value: object, indent: number | undefined): string | undefined {
  try {
    return `${JSON.stringify(value, undefined, indent)}\n`
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
