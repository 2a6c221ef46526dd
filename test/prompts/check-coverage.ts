import type { Manifest } from '../../src/prompts/manifest.ts'

/** Recounts the numbers of a manifest from its lists; returns the differences. */
export function checkCoverage({
  assets: covered,
  left,
  refusals,
  turns,
  coverage,
  coverage_line,
}: Manifest): string[] {
  const wrong: string[] = []
  const assets = [...covered, ...left]
  const claim = (what: string, claimed: unknown, counted: unknown) => {
    if (claimed !== counted) wrong.push(`${what}: ${claimed} claimed, ${counted} counted`)
  }
  claim('taken', coverage.taken, assets.length + coverage.copies)
  claim('different contents', new Set(assets.map(({ asset_id }) => asset_id)).size, assets.length)
  claim('ready', coverage.ready, coverage.taken + coverage.left_for_next)
  const refused = new Set(coverage.refused.files.map(({ name }) => name))
  for (const { name } of refusals)
    if (!refused.has(name)) wrong.push(`${name} is refused, and not counted`)
  for (const stage of ['refused', 'moving', 'on_the_way', 'blocked', 'removed'] as const) {
    const { total, files } = coverage[stage]
    claim(`named ${stage}`, files.length, Math.min(total, 1_000))
    if (total > 0 && !coverage_line.includes(`${total.toLocaleString('en-US')} `))
      wrong.push(`${stage} is not in the line`)
  }
  const asked = new Set(turns.flatMap(({ body }) => JSON.parse(body).scope?.asset_ids ?? []))
  for (const { asset_id } of assets)
    if (!asked.has(asset_id))
      wrong.push(`${asset_id} is in the manifest, and was never asked about`)
  claim('assets asked about', asked.size, assets.length)
  return wrong
}
