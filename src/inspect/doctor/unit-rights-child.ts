import { constants, readFileSync } from 'node:fs'
import { systemWords } from '../../base/run/errors.ts'
import { system_clock } from '../../base/time/time.ts'
import { accessFault } from '../plan/check-path.ts'
import { type Check, type DoctorTools, findings, isWithin } from './check.ts'
import { checkFolders } from './check-folders.ts'
import { checkSecretFiles } from './check-secret-files.ts'
import { inspectFolders } from './inspect-folders.ts'
import type { RightsQuestion } from './unit-rights.ts'

/**
 * Checks rights as the user of this process. unit-rights.ts starts it, and sends the question on
 * standard input.
 */
const question = JSON.parse(readFileSync(0, 'utf8')) as RightsQuestion
const { config, limits, user, files, unresponsive } = question
const tools: DoctorTools = {
  config,
  clock: system_clock,
  limits,
  proxy: { http_proxy: undefined, https_proxy: undefined, no_proxy: undefined },
  uid: process.getuid?.(),
  ledger: undefined,
  isUnresponsive: (path) => isWithin(path, unresponsive),
}

function checkFile(file: string): Check[] {
  if (tools.isUnresponsive(file)) return []
  const code = accessFault(file, constants.R_OK)
  if (code === undefined) return []
  const hint = `give ${user} the right to read it, and to pass through the directories above it`
  return [
    findings('config', file).fault(
      `the unit runs as ${user}, who may not read it (${systemWords(code)})`,
      hint,
    ),
  ]
}

const checks = [
  ...files.flatMap(checkFile),
  ...checkFolders(await inspectFolders(tools), limits, user),
  ...checkSecretFiles(tools),
]
process.stdout.write(`${JSON.stringify(checks)}\n`)
