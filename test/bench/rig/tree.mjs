import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const prose = makeProse(1_000_000)

/**
 * A text of words, different for every number.
 * @param {number} number
 * @param {number} bytes
 */
export function textOf(number, bytes) {
  const head = `file ${number}. `
  const at = (number * 7_919) % (prose.length - bytes)
  return head + prose.slice(at, at + bytes - head.length)
}

/**
 * Makes `files` files of `bytes` each, spread over `folders` folders two levels deep, and returns
 * their paths.
 * @param {string} root
 * @param {{ files: number, folders: number, bytes: number }} size
 * @returns {string[]}
 */
export function makeTree(root, { files, folders, bytes }) {
  const paths = []
  const a_folder = Math.ceil(files / folders)
  for (let file = 0; file < files; file++) {
    const folder = Math.floor(file / a_folder)
    const directory = join(root, `area-${folder % 10}`, `project-${folder}`)
    if (file % a_folder === 0) mkdirSync(directory, { recursive: true })
    const path = join(directory, `minutes-${file}.txt`)
    writeFileSync(path, textOf(file, bytes))
    paths.push(path)
  }
  return paths
}

/** Makes always the same words, rare and frequent ones as in prose. @param {number} length */
function makeProse(length) {
  let state = 1
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const letters = 'etaoinshrdlucmfwypvbgk'
  const words = Array.from({ length: 5_000 }, (_, at) =>
    Array.from(
      { length: 2 + (at % 8) },
      () => letters[Math.floor(letters.length * random() ** 2)],
    ).join(''),
  )
  let text = ''
  while (text.length < length)
    text += `${words[Math.floor(words.length * random() ** 2)]}${random() < 0.1 ? '.\n\n' : ' '}`
  return text
}
