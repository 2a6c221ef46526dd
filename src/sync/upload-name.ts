import { basename } from 'node:path'

/** Contract, section 2: the longest `filename`, in characters. */
const longest_name = 255

/**
 * The name that the service shows: the path inside the folder with the folder's name before it, so that two `report.docx` can
 * be told apart; or the file's own name. What is too long loses its middle: both the folder and the ending stay.
 */
export function uploadName(folder: { name: string; upload_name: 'path' | 'base' }, path: string): string {
  const whole = folder.upload_name === 'path' ? `${folder.name}/${path}` : basename(path)
  const characters = [...whole]
  if (whole.length <= longest_name) return whole
  const budget = longest_name - 1
  let head = ''
  let tail = ''
  for (let from = 0, to = characters.length - 1; ; ) {
    const next_tail = characters[to--]! + tail
    if (head.length + next_tail.length > budget) break
    tail = next_tail
    // A third of the room is for the head: the end has the file's own name.
    if (head.length * 2 < tail.length) {
      const next_head = head + characters[from++]!
      if (next_head.length + tail.length > budget) break
      head = next_head
    }
  }
  return `${head}…${tail}`
}
