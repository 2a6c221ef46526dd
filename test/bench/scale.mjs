import { join } from 'node:path'
import { rest } from './rescan.mjs'
import { benchScaleFirstLook, benchScaleRescan } from './scale-looks.mjs'
import { makeTree } from './tree.mjs'

/**
 * Big folders: the same tree for all that is measured.
 * @param {import('./options.mjs').BenchOptions} options
 * @param {string} work
 */
export async function benchScale(options, work) {
  const { scale_files: files, file_bytes: bytes } = options
  const watched = join(work, 'tree')
  const paths = makeTree(watched, { files, folders: Math.ceil(files / 100), bytes })
  await rest()
  const tree = { watched, paths, work }
  const first_look = await benchScaleFirstLook(options, tree)
  return { first_look, rescan: await benchScaleRescan(options, tree) }
}
