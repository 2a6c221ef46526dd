import { accessSync, constants, readFileSync } from 'node:fs'
import { codeOf } from '../../base/errors.ts'
import { system_clock } from '../../base/time.ts'
import { type Check, fault } from './check.ts'
import { checkFolders } from './check-folders.ts'
import { checkSecretFiles } from './check-secret-files.ts'
import type { DoctorTools } from './doctor-tools.ts'
import { lookAtFolders } from './look-at-folder.ts'
import type { RightsQuestion } from './unit-rights.ts'

/**
 * Checks rights as the user that this process runs as; unit-rights.ts starts it. The question comes
 * on standard input.
 */
const question = JSON.parse(readFileSync(0, 'utf8')) as RightsQuestion
const { config, limits, user, files, dead } = question
const tools: DoctorTools = {
  config,
  clock: system_clock,
  limits,
  proxy: { http_proxy: undefined, https_proxy: undefined, no_proxy: undefined },
  uid: process.getuid?.(),
  ledger: undefined,
  isDead: (path) => dead.some((place) => path === place || path.startsWith(`${place}/`)),
}

function checkFile(file: string): Check[] {
  if (tools.isDead(file)) return []
  try {
    accessSync(file, constants.R_OK)
    return []
  } catch (error) {
    const hint = `give ${user} the right to read it, and to pass through the directories above it`
    return [fault('config', file, `the unit runs as ${user}, who may not read it (${codeOf(error)})`, hint)]
  }
}

const checks = [
  ...files.flatMap(checkFile),
  ...checkFolders(await lookAtFolders(tools), limits.answer_ms, user),
  ...checkSecretFiles(tools),
]
process.stdout.write(`${JSON.stringify(checks)}\n`)
