/** A ledger hands out at most this many claims at once. */
const at_once = 1_000

/**
 * Records that everything a ledger wants was found on the service and is ready there. A first sync
 * would take minutes for this. Assets get the ids of `assetId`, from 0 on. Returns their number.
 * @param {any} ledger no other caller may ask it for work
 */
export async function recordAllReady(ledger) {
  let recorded = 0
  for (;;) {
    const { work } = await ledger.claimToSend(at_once, { except_projects: [] })
    if (work.length === 0) return recorded
    const facts = work.flatMap(({ content }) => [
      { type: 'slot_intended', content },
      { type: 'asset_found', content, asset_id: assetId(recorded++) },
      { type: 'asset_ready', content },
    ])
    await ledger.record(facts)
  }
}

/** @param {number} number */
export function assetId(number) {
  return `asset_${String(number).padStart(20, '0')}`
}
