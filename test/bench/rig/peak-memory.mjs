// Loaded into a measured program (node --import). When the program ends, this writes its resource
// usage to file descriptor 3. With `?loop` it adds the delay of the event loop from the first line
// of the program on, which takes a timer of a millisecond. SIGUSR2 writes a line with that delay,
// and it begins anew.
import { readFileSync, writeSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const delay =
    new URL(import.meta.url).search === '?loop'
      ? monitorEventLoopDelay({ resolution: 1 })
      : undefined
  const loop = () =>
    delay && { loop_p99_ms: delay.percentile(99) / 1e6, max_loop_ms: delay.max / 1e6 }
  delay?.enable()
  process.on('SIGUSR2', () => {
    writeSync(3, `${JSON.stringify(loop())}\n`)
    delay?.reset()
  })
  process.on('exit', () => {
    const cpu = process.cpuUsage()
    writeSync(
      3,
      JSON.stringify({
        peak_mb: peak_kb() / 1_000,
        cpu_s: (cpu.user + cpu.system) / 1e6,
        ...loop(),
      }),
    )
  })
}

/**
 * The kernel's high-water mark of this program. rusage's maxrss would begin at the size of the
 * parent, because a fork counts as the child until it becomes another program.
 */
function peak_kb() {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1.024
  } catch {
    return process.resourceUsage().maxRSS * 1.024
  }
}
