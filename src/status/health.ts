import { formatBytes, formatCount, formatDuration } from '../base/format.ts'

/**
 * What Sluice promises all the time. A promise that is not kept has a reason, and the reasons are the verdict.
 *
 * - `scan`: every folder is looked through completely, again and again: whatever the watcher misses comes in by it.
 * - `queue`: nothing waits for long. The age of the oldest counts, never how many there are.
 * - `events`: the watcher tells of every change.
 * - `folder`: every folder is there.
 * - `account`, `project`: the service takes our token, and knows the projects.
 * - `service`: the service and its blob store can be used.
 * - `audit`: what is called ready was compared with the service lately.
 * - `prompt`: each due time ends in a report, or in a skip that was told.
 * - `delivery`: no report was given up on its way to a receiver.
 * - `disk`, `ledger`: there is room to record what happens, and it can be recorded.
 */
export const promises = [
  'scan',
  'queue',
  'events',
  'folder',
  'account',
  'project',
  'service',
  'audit',
  'prompt',
  'delivery',
  'disk',
  'ledger',
] as const
export type PromiseName = (typeof promises)[number]

/** What is known, all of one moment. Times are Unix ms. */
export interface HealthFacts {
  now_ms: number
  /** By a person's word: then nothing goes up and nothing is asked, and that is right. Looks go on. */
  paused: { since_ms: number } | undefined
  folders: readonly {
    name: string
    online: boolean
    offline_reason: string | undefined
    /** Since when it is online or offline. */
    state_since_ms: number
    /** First configured. */
    started_ms: number
    /** End of the last complete scan. */
    looked_ms: number | undefined
    rescan_interval_ms: number
    /** Files that the last scan found and the watcher should have told long ago. */
    missed: number
  }[]
  /** The content that has waited longest of all that are not ready yet. `held`: the daily limit lets nothing of its size pass. */
  waiting: { since_ms: number; name: string; held: boolean } | undefined
  /** The file whose look has been due for longest. */
  unlooked: { since_ms: number; name: string } | undefined
  troubles: readonly {
    about: string
    message: string
    hint: string | undefined
    since_ms: number
  }[]
  /** Since: the end of the last full round, or when the first could begin. `running_ms`: the begin of the one that runs. */
  audits: readonly { project_id: string; since_ms: number; round_ms: number; running_ms: number | undefined }[]
  prompts: readonly {
    name: string
    /** What may pass between a due time and the end of its run. */
    patience_ms: number
    /** The oldest due time that ended in nothing yet. */
    unmet_ms: number | undefined
    /** The newest run, when it failed. */
    failed: { run: number; since_ms: number; why: string } | undefined
  }[]
  /** Given up, and nothing has reached the receiver since. */
  given_up: readonly { prompt: string; run: number | undefined; target: string; since_ms: number; message: string }[]
  disk: { path: string; free_bytes: number } | undefined
  ledger_fault: { message: string; hint: string | undefined; since_ms: number } | undefined
}

/** How stale a promise may be; the fields of the section `health`. */
export interface HealthLimits {
  readonly scan_late_ms: number
  readonly queue_age_ms: number
  readonly offline_ms: number
  readonly unreachable_ms: number
  readonly audit_late_ms: number
  readonly prompt_late_ms: number
  readonly missed_events: number
  readonly disk_free_bytes: number
}

export interface Reason {
  promise: PromiseName
  /** The folder, project, prompt, receiver or host; with the promise it names the reason as long as it lasts. */
  about: string
  message: string
  /** What to do. */
  hint: string
  since_ms: number
}

export interface Health {
  /** True when every promise is kept. */
  healthy: boolean
  /** In the order of `promises`; one a promise and thing. */
  reasons: Reason[]
}

/** The verdict, pure: nothing but facts and limits. A fact that gets better never adds a reason. */
export function healthOf(facts: HealthFacts, limits: HealthLimits): Health {
  const found = [
    ...scanReasons(facts, limits),
    ...queueReasons(facts, limits),
    ...folderReasons(facts, limits),
    ...troubleReasons(facts, limits),
    ...auditReasons(facts, limits),
    ...promptReasons(facts, limits),
    ...machineReasons(facts, limits),
  ]
  const reasons = promises.flatMap((promise) => found.filter((reason) => reason.promise === promise))
  return { healthy: reasons.length === 0, reasons }
}

function scanReasons({ folders, now_ms }: HealthFacts, { scan_late_ms, missed_events }: HealthLimits): Reason[] {
  return folders.flatMap(({ name, online, state_since_ms, started_ms, looked_ms, rescan_interval_ms, missed }) => {
    const reasons: Reason[] = []
    const since_ms = looked_ms ?? started_ms
    // Away it cannot be looked through; back, it has the time that a scan may take.
    const measured_ms = online ? Math.max(since_ms + rescan_interval_ms, state_since_ms) : now_ms
    if (now_ms - measured_ms > scan_late_ms) {
      const ago = formatDuration(now_ms - since_ms)
      const last = looked_ms === undefined ? `was never looked through completely in ${ago}` : `was last ${ago} ago`
      reasons.push({
        promise: 'scan',
        about: name,
        message: `the last complete look at ${name} ${last}; one is due every ${formatDuration(rescan_interval_ms)}`,
        hint: 'the log says what stops its scans; `sluice status` shows what cannot be read',
        since_ms: measured_ms + scan_late_ms,
      })
    }
    if (missed > missed_events) {
      const files = `${formatCount(missed)} ${missed === 1 ? 'file' : 'files'}`
      reasons.push({
        promise: 'events',
        about: name,
        message: `the last scan of ${name} found ${files} that the watcher missed`,
        hint: 'they are taken up now; on a share set watch: false and a shorter rescan_interval_ms, else check the inotify limits',
        since_ms,
      })
    }
    return reasons
  })
}

function queueReasons({ waiting, unlooked, paused, now_ms }: HealthFacts, { queue_age_ms }: HealthLimits): Reason[] {
  const isOld = (since_ms: number) => now_ms - since_ms > queue_age_ms
  const reasons: Reason[] = []
  if (waiting && !waiting.held && paused === undefined && isOld(waiting.since_ms)) {
    reasons.push({
      promise: 'queue',
      about: 'uploads',
      message: `${waiting.name} has waited for ${formatDuration(now_ms - waiting.since_ms)} and is not ready`,
      hint: '`sluice explain` with its path says what it waits for; a first sync over a slow line may take longer than health.queue_age_ms',
      since_ms: waiting.since_ms,
    })
  }
  if (unlooked && isOld(unlooked.since_ms)) {
    reasons.push({
      promise: 'queue',
      about: 'looks',
      message: `nobody has looked at ${unlooked.name}, due for ${formatDuration(now_ms - unlooked.since_ms)}`,
      hint: 'the log says what stops it; `sluice rescan` looks at everything again',
      since_ms: unlooked.since_ms,
    })
  }
  return reasons
}

function folderReasons({ folders, now_ms }: HealthFacts, { offline_ms }: HealthLimits): Reason[] {
  return folders.flatMap(({ name, online, offline_reason, state_since_ms }) => {
    // Without a reason nobody has looked yet: that is a matter of scans.
    if (online || offline_reason === undefined || now_ms - state_since_ms <= offline_ms) return []
    return {
      promise: 'folder' as const,
      about: name,
      message: `${name} has been offline for ${formatDuration(now_ms - state_since_ms)}: ${offline_reason}`,
      hint: 'mount it again; nothing in it counts as deleted, and it goes on by itself',
      since_ms: state_since_ms,
    }
  })
}

function troubleReasons({ troubles, now_ms }: HealthFacts, { unreachable_ms }: HealthLimits): Reason[] {
  return troubles.flatMap(({ about, message, hint, since_ms }) => {
    const project = /^project:(.*)$/.exec(about)?.[1]
    const promise = about === 'account' ? 'account' : project === undefined ? 'service' : 'project'
    if (promise === 'service' && now_ms - since_ms <= unreachable_ms) return []
    const lasting = promise === 'service' ? `${nameOf(about)} for ${formatDuration(now_ms - since_ms)}: ` : ''
    const usual = 'it is tried again by itself; check service.base_url, the network and the proxy'
    return {
      promise,
      about: project ?? nameOf(about),
      message: `${lasting}${message}`,
      hint: hint ?? usual,
      since_ms,
    }
  })
}

function nameOf(about: string): string {
  return { account: 'the token', api: 'the service', blob: 'the blob store' }[about] ?? about
}

function auditReasons({ audits, now_ms }: HealthFacts, { audit_late_ms }: HealthLimits): Reason[] {
  return audits.flatMap(({ project_id, since_ms, round_ms, running_ms = 0 }) => {
    const late_ms = since_ms + round_ms + audit_late_ms
    // One that began too late (nobody was at work, or the project is a new one) has the time that a round may take.
    const broken_ms = running_ms > late_ms ? running_ms + round_ms + audit_late_ms : late_ms
    if (now_ms <= broken_ms) return []
    return {
      promise: 'audit' as const,
      about: project_id,
      message: `${project_id} was not compared with the service for ${formatDuration(now_ms - since_ms)}`,
      hint: '`sluice verify` compares it now; the log says what stops the audit',
      since_ms: broken_ms,
    }
  })
}

function promptReasons(facts: HealthFacts, { prompt_late_ms }: HealthLimits): Reason[] {
  const { prompts, given_up, paused, now_ms } = facts
  const reasons = prompts.flatMap(({ name, patience_ms, unmet_ms, failed }): Reason[] => {
    if (unmet_ms !== undefined && paused === undefined && now_ms - unmet_ms > patience_ms + prompt_late_ms) {
      const message = `${name} was due ${formatDuration(now_ms - unmet_ms)} ago, and nothing is written or skipped`
      const hint = `\`sluice prompts history ${name}\` says where its run stands`
      return [{ promise: 'prompt', about: name, message, hint, since_ms: unmet_ms }]
    }
    if (!failed) return []
    const message = `the last run of ${name} failed: ${failed.why}`
    const hint = `\`sluice prompts show ${failed.run}\` says more, \`sluice prompts run ${name}\` asks again`
    return [{ promise: 'prompt', about: name, message, hint, since_ms: failed.since_ms }]
  })
  const lost = given_up.map(({ prompt, run, target, since_ms, message }): Reason => {
    const again = run === undefined ? '' : `, and \`sluice prompts deliver ${run}\` sends it again`
    const hint = `put the receiver right: the next delivery to it ends this${again}`
    return {
      promise: 'delivery',
      about: `${prompt}/${target}`,
      message: `${target} of ${prompt}: ${message}`,
      hint,
      since_ms,
    }
  })
  return [...reasons, ...lost]
}

function machineReasons({ disk, ledger_fault, now_ms }: HealthFacts, { disk_free_bytes }: HealthLimits): Reason[] {
  const reasons: Reason[] = []
  if (disk && disk.free_bytes < disk_free_bytes) {
    reasons.push({
      promise: 'disk',
      about: 'state_dir',
      message: `${formatBytes(disk.free_bytes)} are free under ${disk.path}, less than ${formatBytes(disk_free_bytes)}`,
      hint: 'make room: without any nothing can be recorded, and nothing goes up',
      since_ms: now_ms,
    })
  }
  if (ledger_fault) {
    const { message, hint, since_ms } = ledger_fault
    const usual = 'nothing goes up until it can be recorded: check the disk under state_dir'
    reasons.push({ promise: 'ledger', about: 'ledger', message, hint: hint ?? usual, since_ms })
  }
  return reasons
}
