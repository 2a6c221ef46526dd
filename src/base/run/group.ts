/** The list under a key, made empty where there is none yet. */
export function listOf<Key, Item>(groups: Map<Key, Item[]>, key: Key): Item[] {
  const known = groups.get(key)
  if (known) return known
  const made: Item[] = []
  groups.set(key, made)
  return made
}
