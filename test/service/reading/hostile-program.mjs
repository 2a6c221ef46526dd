// Stands in for the program that reads documents. The name of the file selects what it does to this
// process.

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const eaten = []

function read(name) {
  if (name.startsWith('spins')) for (;;);
  if (name.startsWith('eats buffers')) for (;;) eaten.push(Buffer.alloc(4 * 1024 * 1024, 1))
  if (name.startsWith('eats the heap')) for (;;) eaten.push({ eaten: eaten.length })
  if (name.startsWith('crashes later')) setTimeout(() => process.exit(9), 50)
  if (name.startsWith('eats later')) setTimeout(() => read('eats buffers'), 50)
  if (name.startsWith('forks'))
    return `started ${spawn('/bin/sleep', ['1000'], { stdio: 'ignore' }).pid}`
  if (name.startsWith('floods'))
    for (let line = 0; line < 20_000; line++) process.stdout.write(`${'flood '.repeat(100)}\n`)
  if (name.startsWith('dies')) process.kill(process.pid, 'SIGSEGV')
  if (name.startsWith('exits')) process.exit(7)
  if (name.startsWith('writes ')) writeFileSync(name.slice(7), 'text')
  if (name.startsWith('environment')) return Object.keys(process.env).sort().join()
  return `read ${name}`
}

/** The answer of the real program for a text of one part. */
const answer = (text) => ({ text, reading: { of: 1, seen: 1, unit: 'part' }, tables: [] })

process.on('message', ({ filename }) => {
  if (filename.startsWith('waits')) return
  if (filename.startsWith('takes a while')) {
    setTimeout(() => process.send({ ...answer(`read ${filename}`), cpu_ms: 1, peak_bytes: 1 }), 300)
    return
  }
  if (filename.startsWith('leaves')) {
    process.disconnect()
    setInterval(() => {}, 1_000)
    return
  }
  const used = filename.startsWith('uses ') ? Number(filename.slice(5)) : 1
  process.send({ ...answer(read(filename)), cpu_ms: used, peak_bytes: 1 })
})
process.send({ started: true })
