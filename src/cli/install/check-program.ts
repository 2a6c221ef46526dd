import { spawnSync } from 'node:child_process'
import { SluiceError } from '../../base/errors.ts'
import { isBelow } from '../../base/path-below.ts'
import { idsOf } from '../../inspect/unit/unit-facts.ts'
import { service_user } from './layout.ts'

const homes = ['/home', '/root', '/run/user']
/** PrivateTmp= of the unit: the service has others. */
const private_directories = ['/tmp', '/var/tmp']
const patience_ms = 60_000
const advice =
  'install node and Sluice for everybody, for instance: npm install -g --prefix /usr/local --omit=dev sluice-VERSION.tgz'

/** Errors: `install.program`, a node or a program that the service would not find, or not for long. */
export function refuseHiddenProgram(place: { node: string; program: string }): void {
  for (const [what, path] of Object.entries(place)) {
    const isIn = (directory: string) => isBelow(path, directory)
    const is_private = private_directories.some(isIn)
    if (!is_private && !homes.some(isIn)) continue
    const why = is_private
      ? 'the service has a temporary directory of its own'
      : 'homes are closed to the service, or will be, and a version manager moves what lies there'
    throw new SluiceError({ code: 'install.program', message: `${what} lies at ${path}: ${why}`, hint: advice })
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
