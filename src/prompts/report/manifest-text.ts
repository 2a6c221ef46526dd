import type { Manifest } from '../manifest.ts'

/** Bytes. A larger manifest is not read, because Sluice writes none. */
export const max_manifest_bytes = 64 * 1024 * 1024

export interface ManifestText {
  text: string
  /** Text for the operator about the parts that did not fit; undefined if all did. */
  left_out: string | undefined
}

/**
 * Formats a manifest that Sluice can read back. If it is too large, it first loses its indentation,
 * then what the report and the ledger have too. At last only what a lost ledger needs remains (what
 * the report covers), which fits for half a million assets.
 */
export function manifestText(manifest: Manifest, max_bytes = max_manifest_bytes): ManifestText {
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
    if (text !== undefined && Buffer.byteLength(text) <= max_bytes) return { text, left_out }
  }
  throw new Error(
    `the manifest of ${assets.length} files is larger than ${max_bytes} bytes, whatever is left out of it`,
  )
}

/** Undefined if the text would exceed the maximum length of a string. */
function textOf(value: object, indent: number | undefined): string | undefined {
  try {
    return `${JSON.stringify(value, undefined, indent)}\n`
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
