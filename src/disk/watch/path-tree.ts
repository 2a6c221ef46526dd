interface TreeNode<Value> {
  value: Value | undefined
  /** By name; most have none, and a map for each would be most of the memory. */
  children: Map<string, TreeNode<Value>> | undefined
}

/**
 * A map by relative path, '' for the root, that takes out a path with all below it at the cost of what it takes: a removed tree is
 * told of directory by directory, and a look at all the others for each would hold up the daemon.
 */
export class PathTree<Value extends object> {
  readonly #root: TreeNode<Value> = { value: undefined, children: undefined }
  #size = 0

  get size(): number {
    return this.#size
  }

  get(path: string): Value | undefined {
    let node: TreeNode<Value> | undefined = this.#root
    for (const name of namesOf(path)) {
      node = node.children?.get(name)
      if (node === undefined) return undefined
    }
    return node.value
  }

  set(path: string, value: Value): void {
    let node = this.#root
    for (const name of namesOf(path)) {
      node.children ??= new Map()
      let child = node.children.get(name)
      if (child === undefined) {
        child = { value: undefined, children: undefined }
        node.children.set(name, child)
      }
      node = child
    }
    if (node.value === undefined) this.#size += 1
    node.value = value
  }

  /** Removes the path and all below it; answers what they had. */
  takeBranch(path: string): Value[] {
    let top: TreeNode<Value> | undefined = this.#root
    const way: Step<Value>[] = [{ name: '', node: top }]
    for (const name of namesOf(path)) {
      top = top.children?.get(name)
      if (top === undefined) return []
      way.push({ name, node: top })
    }
    const values: Value[] = []
    for (const { node } of branchOf(top, path)) if (node.value !== undefined) values.push(node.value)
    top.value = undefined
    top.children = undefined
    this.#size -= values.length
    prune(way)
    return values
  }

  /** In no particular order; nothing may be added or removed meanwhile. */
  *entries(): Generator<[path: string, value: Value]> {
    for (const { path, node } of branchOf(this.#root, '')) if (node.value !== undefined) yield [path, node.value]
  }
}

interface Step<Value> {
  name: string
  node: TreeNode<Value>
}

function* branchOf<Value>(top: TreeNode<Value>, path: string): Generator<{ path: string; node: TreeNode<Value> }> {
  const waiting = [{ path, node: top }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next
    const start = next.path === '' ? '' : `${next.path}/`
    for (const [name, node] of next.node.children ?? []) waiting.push({ path: start + name, node })
  }
}

/** Without it, names that never come again would stay for ever. */
function prune<Value>(way: readonly Step<Value>[]): void {
  for (let depth = way.length - 1; depth > 0; depth -= 1) {
    const { name, node } = way[depth]!
    if (node.value !== undefined || node.children !== undefined) return
    const parent = way[depth - 1]!.node
    parent.children?.delete(name)
    if (parent.children?.size === 0) parent.children = undefined
  }
}

function namesOf(path: string): string[] {
  return path === '' ? [] : path.split('/')
}
