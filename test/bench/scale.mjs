import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { rest } from './rescan.mjs'
import { scale_rows } from './scale-rows.mjs'
import { makeTree } from './tree.mjs'

/**
 * Big folders, row by row. One that cannot be measured says why and stops no other.
 * @param {import('./options.mjs').BenchOptions} options
 * @param {string} work
 * @param {(results: Record<string, any>) => void} onRow
 */
export async function benchScale(options, work, onRow) {
  const bench = scaleBench(options, work)
  const results = {}
  for (const row of scale_rows) {
    if (!options.parts.has(row.name)) continue
    try {
      results[row.name] = await row.measure(bench)
    } catch (error) {
      results[row.name] = { failed: error instanceof Error ? error.message : String(error) }
    }
    onRow(results)
  }
  return results
}

/** @returns {import('./scale-rows.mjs').ScaleBench} */
function scaleBench(options, work) {
  const { scale_files: files, file_bytes: bytes } = options
  let tree
  let turn = 0
  return {
    options,
    folder(name) {
      const folder = join(work, name)
      mkdirSync(folder)
      return folder
    },
    async tree() {
      if (tree === undefined) {
        const watched = join(work, 'tree')
        tree = { watched, paths: makeTree(watched, { files, folders: Math.ceil(files / 100), bytes }) }
        await rest()
      }
      return tree
    },
    turn: () => turn++,
  }
}
