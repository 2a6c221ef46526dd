import { onTestFinished } from 'vitest'
import { constants_setter, constantsEnv } from '../../rig/config-of.ts'
import type { Service } from '../../rig/local-service.ts'
import type { Lab } from './lab.ts'

/**
 * Short times, so that a test sees what takes minutes otherwise. Every permitted silence is shorter
 * still.
 */
const quick = {
  watchdog: { silence_ms: 3_000 },
  uploads: { request_timeout_ms: 1_000, stall_timeout_ms: 1_000, small_file_bytes: 8_192 },
}
const setter = '/usr/local/lib/set-constants.mjs'

export const watchdog_s = 4

/** The environment of the unit that sets these constants of the daemon. */
export function unitEnvironment(lab: Lab, uploads: Record<string, number>): string {
  lab.copyIn(constants_setter, setter)
  const changed = { ...quick, uploads: { ...quick.uploads, ...uploads } }
  const variables = constantsEnv(changed, {
    setter,
    build: '/usr/local/lib/node_modules/sluice/dist',
  })
  return Object.entries(variables)
    .map(([name, value]) => `'${name}=${value}'`)
    .join(' ')
}

/** Counts the bodies of uploads that the service gets; the times are those of the first. */
export function watchPuts(service: Service) {
  const puts = { count: 0, began: untilReported(), ended: untilReported() }
  const unlisten = [
    service.on('begin', ({ place }) => {
      if (place !== 'put') return
      puts.count++
      puts.began.resolve()
    }),
    service.on('handled', ({ place }) => void (place === 'put' && puts.ended.resolve())),
  ]
  onTestFinished(() => unlisten.forEach((off) => void off()))
  return {
    get count() {
      return puts.count
    },
    began: puts.began.at,
    ended: puts.ended.at,
  }
}

/** A promise of the time at which `resolve` is called. */
function untilReported() {
  let resolve = () => {}
  const at = new Promise<number>((settle) => {
    resolve = () => settle(performance.now())
  })
  return { at, resolve: () => resolve() }
}
