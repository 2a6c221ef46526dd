// Loaded into a measured program (node --import): when it ends, it tells what it used on file descriptor 3.
import { readFileSync, writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  process.on('exit', () => {
    const cpu = process.cpuUsage()
    writeSync(3, JSON.stringify({ peak_mb: peak_kb() / 1_000, cpu_s: (cpu.user + cpu.system) / 1e6 }))
  })
}

/**
 * The kernel's high-water mark of this program. rusage's maxrss would begin at the size of the parent: a fork counts as the
 * child until it becomes another program.
 */
function peak_kb() {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1.024
  } catch {
    return process.resourceUsage().maxRSS * 1.024
  }
}
