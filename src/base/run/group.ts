/** The list under a key; creates an empty one if there is none. */
export function listOf<Key, Item>(groups: Map<Key, Item[]>, key: Key): Item[] {
  const known = groups.get(key)
  if (known) return known
  const made: Item[] = []
  groups.set(key, made)
  return made
}
