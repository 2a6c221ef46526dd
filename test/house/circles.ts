/**
 * The circles of a graph (node -> the nodes that it points to): one shortest circle for each
 * strongly connected group.
 */
export function findCircles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = []
  const covered = new Set<string>()
  for (const node of [...graph.keys()].sort()) {
    if (covered.has(node)) continue
    const circle = shortestWayRound(graph, node)
    if (!circle) continue
    for (const member of circle) covered.add(member)
    circles.push(circle)
  }
  return circles
}

/** Searches breadth first from a node until it is met again; undefined when no way leads back. */
function shortestWayRound(
  graph: ReadonlyMap<string, readonly string[]>,
  start: string,
): string[] | undefined {
  const came_from = new Map<string, string>()
  let border = [start]
  while (border.length > 0) {
    const next_border: string[] = []
    for (const node of border) {
      for (const next of graph.get(node) ?? []) {
        if (next === start) return wayBack(came_from, start, node)
        if (came_from.has(next)) continue
        came_from.set(next, node)
        next_border.push(next)
      }
    }
    border = next_border
  }
  return undefined
}

function wayBack(came_from: ReadonlyMap<string, string>, start: string, last: string): string[] {
  const way = [start]
  for (let node = last; node !== start; node = came_from.get(node)!) way.unshift(node)
  return [start, ...way]
}
