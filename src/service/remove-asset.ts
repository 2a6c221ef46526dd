import type { Parts } from './parts.ts'
import type { AssetRow } from './store/store-assets.ts'

/**
 * Deletes the asset that `find` returns, and its bytes. The ingest worker, which this wakes,
 * deletes its passages. The content can then be uploaded again. Returns false if `find` finds none.
 */
export async function removeAsset(
  { assets, objects, files, commits, wake }: Parts,
  find: () => AssetRow | undefined,
): Promise<boolean> {
  const removed = await commits.write(() => {
    const asset = find()
    if (!asset) return undefined
    const place = objects.placeOf(asset.seq)
    assets.remove(asset)
    return { file: place && 'file' in place ? place.file : undefined }
  })
  if (removed?.file !== undefined) await files.remove(removed.file)
  wake.ingest()
  return removed !== undefined
}
