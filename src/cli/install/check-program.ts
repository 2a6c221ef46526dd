import { spawnSync } from 'node:child_process'
import { SluiceError } from '../../base/errors.ts'
import { idsOf } from '../../inspect/unit/unit-facts.ts'
import { isBelow } from '../../inspect/unit/unit-needs.ts'
import { service_user } from './layout.ts'

/** Directories that the unit hides from the service (ProtectHome=, PrivateTmp=). */
const hidden = ['/home', '/root', '/run/user', '/tmp', '/var/tmp']
const patience_ms = 60_000
const advice =
  'install node and Sluice for everybody, for instance: npm install -g --prefix /usr/local --omit=dev sluice-VERSION.tgz'

/** Errors: `install.program`, a node or a program that the service would not find. */
export function refuseHiddenProgram(place: { node: string; program: string }): void {
  for (const [what, path] of Object.entries(place)) {
    const directory = hidden.find((candidate) => isBelow(path, candidate))
    if (directory === undefined) continue
    throw new SluiceError({
      code: 'install.program',
      message: `the ${what} lies at ${path}, and the service does not see ${directory}`,
      hint: advice,
    })
  }
}

/** Tries it as the service's user (or as anybody, where that is not there yet). Root alone can. Errors: `install.program`. */
export function tryProgram({ node, program }: { node: string; program: string }): void {
  const { uid, gid } = idsOf(service_user)
  const words = ['--reuid', uid, '--regid', gid, '--clear-groups', '--', node, program, 'version']
  const { status, stderr, error } = spawnSync('setpriv', words, {
    encoding: 'utf8',
    timeout: patience_ms,
    cwd: '/',
    env: { HOME: '/nonexistent' },
  })
  if (status === 0) return
  const why = error?.message ?? stderr.trim().split('\n').at(-1)
  throw new SluiceError({
    code: 'install.program',
    message: `the service’s user cannot run ${node} ${program}: ${why}`,
    hint: advice,
  })
}
