/** Something that takes so many characters of a call. */
export interface Sized {
  chars: number
}

export interface Batch<Item extends Sized> extends Sized {
  items: Item[]
}

export function charsIn(items: readonly Sized[]): number {
  return items.reduce((sum, { chars }) => sum + chars, 0)
}

/**
 * Packs items into batches of at most `max_chars`. Each goes into the first batch that has space,
 * so that the first items are in the first batches. A longer item has a batch of its own.
 */
export function makeBatches<Item extends Sized>(
  items: readonly Item[],
  max_chars: number,
): Batch<Item>[] {
  const batches: Batch<Item>[] = []
  for (const item of items) {
    const open = batches.find(({ chars }) => chars + item.chars <= max_chars)
    if (open) {
      open.items.push(item)
      open.chars += item.chars
    } else batches.push({ items: [item], chars: item.chars })
  }
  return batches
}

/** Two batches of about half the length. Undefined for one of a single item. */
export function halveBatch<Item extends Sized>({
  items,
  chars,
}: Batch<Item>): Batch<Item>[] | undefined {
  if (items.length < 2) return undefined
  let count = 1
  while (count < items.length - 1 && charsIn(items.slice(0, count + 1)) <= chars / 2) count++
  return [items.slice(0, count), items.slice(count)].map((half) => ({
    items: half,
    chars: charsIn(half),
  }))
}
