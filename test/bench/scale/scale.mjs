import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { rest } from '../rescan.mjs'
import { makeTree } from '../rig/tree.mjs'
import { makeKnownFolder } from './known-folder.mjs'
import { scale_rows } from './scale-rows.mjs'

/**
 * Measures big folders, row by row. A row that fails gives its reason and does not stop the others.
 * @param {import('../rig/options.mjs').BenchOptions} options
 * @param {string} work
 * @param {(results: Record<string, any>) => void} onRow
 */
export async function benchScale(options, work, onRow) {
  const { bench, close } = scaleBench(options, work)
  const results = {}
  try {
    for (const row of scale_rows) {
      if (!options.parts.has(row.name)) continue
      results[row.name] = await row.measure(bench).catch((error) => ({ failed: messageOf(error) }))
      onRow(results)
    }
  } finally {
    await close()
  }
  return results
}

/** Rows share parts, which are made when the first row asks for them. */
function scaleBench(options, work) {
  const { scale_files: files, file_bytes: bytes } = options
  let tree
  let known
  let turn = 0
  /** @type {import('./scale-rows.mjs').ScaleBench} */
  const bench = {
    options,
    folder(name) {
      const folder = join(work, name)
      mkdirSync(folder)
      return folder
    },
    async tree() {
      if (tree === undefined) {
        const watched = join(work, 'tree')
        tree = {
          watched,
          paths: makeTree(watched, { files, folders: Math.ceil(files / 100), bytes }),
        }
        await rest()
      }
      return tree
    },
    known() {
      known ??= makeKnownFolder(bench)
      return known
    },
    turn: () => turn++,
  }
  return {
    bench,
    close: async () => void (await (await known?.catch(() => undefined))?.service.close()),
  }
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error)
}
