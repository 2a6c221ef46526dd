import { constants, statSync } from 'node:fs'
import { max_certificates_bytes } from '../../base/files/atomic-file.ts'
import { readSmallText } from '../../base/files/paths.ts'
import { tryMailServer } from '../../base/net/mail.ts'
import { causeOf, isSluiceError } from '../../base/run/errors.ts'
import { formatDuration, shellWord } from '../../base/text/format.ts'
import { mailServers, targetsOf } from '../../config/resolve/targets.ts'
import { accessFault } from '../plan/check-path.ts'
import { type Check, type DoctorTools, findings, withinTime } from './check.ts'
import { checkHost } from './check-hosts.ts'
import { readSecret } from './check-secret-files.ts'

/** Connects to each mail server, with TLS and a login as configured; sends no mail. */
export function checkMail(tools: DoctorTools): Promise<Check[]> {
  return Promise.all(mailServers(tools.config).map((smtp) => checkMailServer(smtp, tools)))
}

type MailServer = ReturnType<typeof mailServers>[number]

async function checkMailServer(
  smtp: MailServer,
  { clock, limits, isUnresponsive }: DoctorTools,
): Promise<Check> {
  const { host, port, tls, user, password_file, ca_file } = smtp
  const about = `${host}:${port}`
  const { ok, fault } = findings('mail', about)
  const late = () =>
    fault(
      `no answer in ${formatDuration(limits.answer_ms)}`,
      'check host, port and tls, and a firewall',
    )
  if ([password_file, ca_file].some((file) => file !== undefined && isUnresponsive(file)))
    return late()
  const secret = password_file === undefined ? undefined : readSecret(password_file)
  if (secret !== undefined && 'why' in secret)
    return fault(`not tried: ${password_file} cannot be read (${secret.why})`)
  const login = user === undefined ? undefined : { user, password: secret?.text ?? '' }
  const connect = async (): Promise<Check> => {
    try {
      const ca = ca_file === undefined ? undefined : readSmallText(ca_file, max_certificates_bytes)
      await tryMailServer({ host, port, tls, login, ca }, limits.answer_ms)
      return ok(
        login === undefined ? `it answers (tls: ${tls})` : `it takes the login (tls: ${tls})`,
      )
    } catch (error) {
      if (isSluiceError(error)) return fault(error.message.replace(`${about}: `, ''), error.hint)
      return fault(`${ca_file} cannot be read: ${causeOf(error)}`, 'check smtp.ca_file')
    }
  }
  return withinTime(clock, limits.answer_ms + 1_000, connect, late)
}

/**
 * Connects to the hosts of webhooks and of the health ping (alerts.ping); sends no request. Shows
 * only hosts, since the addresses are secrets.
 */
export async function checkWebhooks(tools: DoctorTools): Promise<Check[]> {
  const urls = targetsOf(tools.config, 'webhook').map(({ delivery }) => delivery)
  const { ping } = tools.config.alerts
  /** Origin -> its URL; a file that contains no address -> undefined. */
  const hosts = new Map<string, URL | undefined>()
  for (const { url, url_file } of ping === undefined ? urls : [...urls, ping]) {
    const text = url ?? textOf(url_file, tools)
    // The check `secret_files` reports unreadable files.
    if (text === undefined) continue
    if (!URL.canParse(text)) hosts.set(url_file ?? '', undefined)
    else hosts.set(new URL(text).origin, new URL(new URL(text).origin))
  }
  const checks = [...hosts].map(([key, url]) =>
    url === undefined
      ? findings('webhook', key).fault(
          'this file contains no address',
          'it must contain only the address',
        )
      : checkHost('webhook', url, tools),
  )
  return Promise.all(checks)
}

function textOf(file: string | undefined, { isUnresponsive }: DoctorTools): string | undefined {
  if (file === undefined || isUnresponsive(file)) return undefined
  const secret = readSecret(file)
  return 'why' in secret ? undefined : secret.text
}

/**
 * Checks that this user can run each command; runs none. The configuration has absolute paths only.
 */
export function checkCommands({ config, isUnresponsive }: DoctorTools): Check[] {
  const programs = new Map(
    targetsOf(config, 'command').map(({ where, delivery }) => [delivery.run[0] ?? '', where]),
  )
  return [...programs].map(([program, where]) => {
    const { ok, fault } = findings('command', program)
    const is_runnable =
      !isUnresponsive(program) && accessFault(program, constants.X_OK) === undefined
    if (is_runnable && statSync(program, { throwIfNoEntry: false })?.isFile())
      return ok(`of ${where}: it can be run`)
    const hint = `check its path and its directories, and chmod +x ${shellWord(program)}`
    return fault(`of ${where}: it does not exist, or this user may not run it`, hint)
  })
}
