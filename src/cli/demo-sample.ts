import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A small folder as an office has it: some texts, a copy, and what must not go up. */
export function makeSample(folder: string): void {
  const write = (path: string, content: string) => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  write('README.md', '# Harbour office\n\nThe papers of a small harbour. Opening hours: 8 to 17, Monday to Friday.\n')
  write(
    'minutes/2026-09.md',
    '# Minutes, September\n\nThe crane of the east quay is out of service until the spring.\n',
  )
  write('minutes/2026-10.md', '# Minutes, October\n\nThe ferry to the islands sails twice a day in winter.\n')
  copyFileSync(join(folder, 'minutes/2026-10.md'), join(folder, 'minutes/copy of 2026-10.md'))
  write('berths/berths.csv', `berth,length_m,depth_m\n${berthRows()}`)
  write('berths/fees.json', `${JSON.stringify({ currency: 'EUR', per_metre_and_night: 2.4, minimum: 15 }, null, 2)}\n`)
  write('web/index.html', '<!doctype html><title>Harbour</title><h1>Guests</h1><p>Guests moor at the west quay.</p>\n')
  write('web/deep/down/below/rules.txt', 'No swimming between the quays.\n')
  write('log/arrivals.txt', arrivals())
  write('notes/empty.txt', '')
  write('~$minutes.docx', 'who has the document open')
}

function berthRows(): string {
  return Array.from({ length: 40 }, (_, at) => `B${at + 1},${8 + (at % 7)},${2 + (at % 3)}\n`).join('')
}

/** Some 4 MB of text: streamed from the disk, not held in memory. */
function arrivals(): string {
  return Array.from(
    { length: 70_000 },
    (_, at) => `Ship number ${at + 1} came in, berth B${(at % 40) + 1}, in order.\n`,
  ).join('')
}

/** Comes while the daemon is at work, and holds the answer to the question. */
export const late_file = {
  path: 'minutes/2026-11.md',
  content:
    '# Minutes, November\n\nThe lantern festival begins on the 12th of December at 18:30 on the west quay.\n' +
    'The harbour master brings the lanterns.\n',
}

export const late_question = 'When does the lantern festival begin?'
