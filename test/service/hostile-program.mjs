// In place of the program that reads documents: the name of the file says what it does to this process.
import { writeFileSync } from 'node:fs'

const eaten = []

function read(name) {
  if (name.startsWith('spins')) for (;;);
  if (name.startsWith('eats buffers')) for (;;) eaten.push(Buffer.alloc(4 * 1024 * 1024, 1))
  if (name.startsWith('eats the heap')) for (;;) eaten.push({ eaten: eaten.length })
  if (name.startsWith('dies')) process.kill(process.pid, 'SIGSEGV')
  if (name.startsWith('exits')) process.exit(7)
  if (name.startsWith('writes ')) writeFileSync(name.slice(7), 'text')
  if (name.startsWith('environment')) return Object.keys(process.env).sort().join()
  return `read ${name}`
}

process.on('message', ({ filename }) => {
  if (filename.startsWith('waits')) return
  if (filename.startsWith('leaves')) {
    process.disconnect()
    setInterval(() => {}, 1_000)
    return
  }
  const used = filename.startsWith('uses ') ? Number(filename.slice(5)) : 1
  process.send({ text: read(filename), cpu_ms: used, peak_bytes: 1 })
})
process.send({ started: true })
