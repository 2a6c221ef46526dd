import { X509Certificate } from 'node:crypto'
import { max_certificates_bytes } from '../../base/files/atomic-file.ts'
import { direct_paths, readSmallText } from '../../base/files/paths.ts'
import { createHttpClient } from '../../base/net/http-client.ts'
import { causeOf } from '../../base/run/errors.ts'
import { programVersion } from '../../base/run/process.ts'
import { formatDuration } from '../../base/text/format.ts'
import { day_ms, minute_ms, second_ms } from '../../base/time/time.ts'
import type { Secrets } from '../../config/secrets.ts'
import { parseBaseUrl } from '../../remote/api.ts'
import { judgeFailure } from '../../remote/judge-failure.ts'
import { failureText, reader_text, roleHint, wrongAddress } from '../../remote/outcome.ts'
import { createRemote } from '../../remote/remote.ts'
import { type Check, type DoctorTools, type Findings, findings, withinTime } from './check.ts'
import { checkHost } from './check-hosts.ts'

/** Doctor asks no more projects than this; companies have tens. */
const max_projects = 20
const skew_warning_ms = minute_ms
/** Signed URLs are valid for minutes. With a larger clock error, valid ones seem expired here. */
const skew_fault_ms = 5 * minute_ms

/**
 * Checks the API host, this clock by its Date header, and up to `max_projects` projects with the
 * token. Only the API host gets the token.
 */
export async function checkService(
  tools: DoctorTools,
  secrets: Secrets | undefined,
  ca: string | undefined,
): Promise<Check[]> {
  const { service } = tools.config
  if (service === undefined)
    return [
      findings('api_host', 'the service').warning(
        'not asked: its configuration is not in order, see above',
      ),
    ]
  const { origin } = parseBaseUrl(service.base_url)
  const host = await checkHost('api_host', new URL(origin), tools, {
    pem: ca,
    field: 'service.ca_file',
  })
  const projects = projectsOf(tools)
  if (host.level === 'fault' || secrets === undefined) {
    const why = host.level === 'fault' ? 'the service cannot be reached' : 'there is no token'
    return [
      host,
      ...projects.map((project_id) => findings('project', project_id).warning(`not asked: ${why}`)),
    ]
  }
  const [clock, ...asked] = await Promise.all([
    checkClock(tools, new URL(origin), ca),
    ...projects.map((project_id) => checkProject(tools, secrets, ca, project_id)),
  ])
  return [host, ...clock, ...asked]
}

function projectsOf({ config }: DoctorTools): string[] {
  const { service, folders, prompts } = config
  const named = [...folders, ...prompts].map(({ project_id }) => project_id)
  return [...new Set(named.length > 0 || !service ? named : [service.project_id])].slice(
    0,
    max_projects,
  )
}

async function checkProject(
  tools: DoctorTools,
  secrets: Secrets,
  ca: string | undefined,
  project_id: string,
): Promise<Check> {
  const { config, clock, limits, proxy } = tools
  const { ok, warning, fault } = findings('project', project_id)
  const remote = createRemote({
    base_url: config.service!.base_url,
    token: () => secrets.token(),
    connections: 1,
    ca,
    proxy,
    user_agent: `sluice/${programVersion()}`,
    clock,
  })
  try {
    const ask = () =>
      Promise.all([remote.listAssets(project_id, { limit: 1 }), remote.listProjects()])
    const answers = await withinTime(clock, limits.answer_ms, ask, () => undefined)
    if (answers === undefined) return warning(`no answer in ${formatDuration(limits.answer_ms)}`)
    const [outcome, projects] = answers
    const { role } =
      (projects.ok && projects.value.find((project) => project.project_id === project_id)) || {}
    const may_send =
      role !== 'reader' || config.folders.every((folder) => folder.project_id !== project_id)
    if (outcome.ok && may_send) return ok('the token reaches it')
    if (outcome.ok) return fault(reader_text, roleHint(project_id))
    const { blame, fact } = judgeFailure(outcome.failure, {})
    const text = failureText(outcome.failure)
    const host = findings('api_host', new URL(config.service!.base_url).host)
    const elsewhere = wrongAddress(outcome.failure)
    if (elsewhere) return host.fault(text, `check service.base_url: ${elsewhere}`)
    if (fact === 'refused') return fault(text, 'ask the operator of the service for this right')
    if (blame === 'token')
      return fault(text, `make a new token; this one came from ${secrets.source}`)
    if (blame === 'project')
      return fault(text, 'check the project id, and that the token’s owner is a member')
    return host.fault(text, 'check service.base_url; if it is right, wait and try again')
  } finally {
    await remote.close()
  }
}

/**
 * Compares this clock with a Date header; no result without one. Every answer has the time, even a
 * refusal, so the token is not sent.
 */
async function checkClock(
  { clock, limits, proxy }: DoctorTools,
  url: URL,
  ca: string | undefined,
): Promise<Check[]> {
  const wait_ms = limits.answer_ms
  const timeouts = { connect_ms: wait_ms, answer_ms: wait_ms, body_ms: wait_ms, stall_ms: wait_ms }
  const http = createHttpClient({
    connections: 1,
    ca,
    proxy,
    timeouts,
    max_body_bytes: 65_536,
    clock,
  })
  try {
    const before_ms = clock.now_ms()
    const request = (signal: AbortSignal) =>
      http.request({ method: 'GET', url, headers: {}, signal }).catch(() => undefined)
    const answer = await withinTime(clock, wait_ms, request, () => undefined)
    const { date } = answer?.headers ?? {}
    if (typeof date !== 'string' || Number.isNaN(Date.parse(date))) return []
    return [judgeClock(Date.parse(date), (before_ms + clock.now_ms()) / 2)]
  } finally {
    await http.close()
  }
}

/**
 * `theirs_ms` is rounded down to whole seconds, so one second of difference does not count.
 *
 * @internal
 */
export function judgeClock(theirs_ms: number, ours_ms: number): Check {
  const skew_ms = ours_ms - theirs_ms
  const off_ms = Math.max(0, Math.abs(skew_ms) - second_ms)
  const find = findings('clock', 'clock')
  if (off_ms < skew_warning_ms) return find.ok('agrees with that of the service')
  const text = `it is ${formatDuration(Math.abs(skew_ms))} ${skew_ms > 0 ? 'ahead of' : 'behind'} that of the service`
  const level = off_ms < skew_fault_ms ? 'warning' : 'fault'
  return find[level](text, 'set it from the network: timedatectl set-ntp true')
}

const soon_ms = 30 * day_ms

/**
 * Checks the certificates of service.ca_file; `pem` is undefined if they are unusable or not set.
 */
export function checkCa(
  file: string | undefined,
  now_ms: number,
  paths = direct_paths,
): { checks: Check[]; pem: string | undefined } {
  if (file === undefined) return { checks: [], pem: undefined }
  const find = findings('ca', file)
  try {
    const pem = readSmallText(file, max_certificates_bytes, paths)
    const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
    if (found.length === 0) throw new Error('it holds no certificate in PEM form')
    const ends = found.map((text) => Date.parse(new X509Certificate(text).validTo))
    return { checks: [judgeCertificates(find, ends, now_ms)], pem }
  } catch (error) {
    const hint = 'name a PEM file with certificates that this user can read as service.ca_file'
    return { checks: [find.fault(`it cannot be used: ${causeOf(error)}`, hint)], pem: undefined }
  }
}

export function judgeCertificates(
  find: Findings,
  ends_ms: readonly number[],
  now_ms: number,
): Check {
  const expired = ends_ms.filter((end_ms) => end_ms <= now_ms).length
  const name =
    ends_ms.length === 1 ? 'the certificate' : `${ends_ms.length} certificates, the last of them`
  const day = new Date(Math.max(...ends_ms)).toISOString().slice(0, 10)
  const hint = 'ask the issuer for a new one'
  if (expired === ends_ms.length) return find.fault(`${name} expired on ${day}`, hint)
  if (expired > 0) return find.ok(`${ends_ms.length} certificates, ${expired} of them expired`)
  const text = `${name} expires on ${day}`
  return ends_ms.every((end_ms) => end_ms - now_ms < soon_ms)
    ? find.warning(text, hint)
    : find.ok(text)
}
