import { formatBytes, formatCount, formatDuration, formatSpan } from '../../base/text/format.ts'
import { minute_ms } from '../../base/time/time.ts'
import { type Absence, refused_fact } from '../../domain/fact.ts'
import { featureIn, projectIn, troubleSubject } from '../../domain/trouble.ts'
import {
  afterAtWork,
  type Health,
  type HealthFacts,
  type HealthLimits,
  type Problem,
  problem_kinds,
} from './problems.ts'

/** Retried uploads are a problem only after this time. A shorter fault needs no user. */
const failing_ms = 5 * minute_ms
/** Maximum number of names in a message. Stuck work blocks other work, so there may be many. */
const max_named = 3

/** Judges the health from facts and limits only. A fact that improves never adds a problem. */
export function healthOf(facts: HealthFacts, limits: HealthLimits): Health {
  const found = [
    ...scanProblems(facts, limits),
    ...queueProblems(facts, limits),
    ...failingProblems(facts),
    ...folderProblems(facts, limits),
    ...troubleProblems(facts, limits),
    ...auditProblems(facts, limits),
    ...emptiedProblems(facts),
    ...promptProblems(facts, limits),
    ...machineProblems(facts, limits),
  ]
  const problems = problem_kinds.flatMap((kind) => found.filter((problem) => problem.kind === kind))
  return { healthy: problems.length === 0, problems }
}

function scanProblems(facts: HealthFacts, { scan_late_ms }: HealthLimits): Problem[] {
  const { folders, now_ms } = facts
  const away = awayIn(facts)
  return folders.flatMap(
    ({ name, online, state_since_ms, kept_ms, scanned_ms, rescan_interval_ms }) => {
      const since_ms = Math.max(scanned_ms ?? kept_ms, kept_ms)
      // Time without a daemon does not count; time offline does. A scan always has at least
      // scan_late_ms after the daemon or the folder is back.
      const back_ms = Math.max(state_since_ms, ...away.map(({ to_ms }) => to_ms))
      const late_ms = Math.max(
        afterAtWork(since_ms, rescan_interval_ms + scan_late_ms, away),
        afterAtWork(back_ms, scan_late_ms, away),
      )
      if (!online || now_ms <= late_ms) return []
      const last =
        scanned_ms === undefined ? 'has not ended' : `ended ${formatSpan(scanned_ms, now_ms)} ago`
      return [
        {
          kind: 'scan' as const,
          about: name,
          message: `the ${scanned_ms === undefined ? 'first' : 'last'} complete scan of ${name} ${last}; a scan is due every ${formatDuration(rescan_interval_ms)}`,
          hint: 'the log says why no scan ends; `sluice status` shows what cannot be read',
          since_ms: late_ms,
        },
      ]
    },
  )
}

function queueProblems(facts: HealthFacts, { queue_age_ms }: HealthLimits): Problem[] {
  const { waiting, unchecked, paused, absences, now_ms } = facts
  const problems: Problem[] = []
  const is_held = waiting?.held || paused !== undefined
  if (waiting && !is_held && now_ms > afterAtWork(waiting.since_ms, queue_age_ms, absences)) {
    problems.push({
      kind: 'queue',
      about: 'uploads',
      message: `${waiting.name} has waited for ${formatSpan(waiting.since_ms, now_ms)} and is not ready`,
      hint: '`sluice explain PATH` says what it waits for; a first sync over a slow line may take longer than health.queue_age_ms',
      since_ms: waiting.since_ms,
    })
  }
  if (unchecked && now_ms > afterAtWork(unchecked.since_ms, queue_age_ms, awayIn(facts))) {
    problems.push({
      kind: 'queue',
      about: 'checks',
      message: `${unchecked.name} was not checked, although its check was due ${formatSpan(unchecked.since_ms, now_ms)} ago`,
      hint: 'the log says why; reading many large files may take longer than health.queue_age_ms',
      since_ms: unchecked.since_ms,
    })
  }
  return problems
}

function failingProblems({ failing, paused, absences, now_ms }: HealthFacts): Problem[] {
  return failing.flatMap(({ given_up, contents, since_ms, name, message }) => {
    const is_early = paused !== undefined || now_ms <= afterAtWork(since_ms, failing_ms, absences)
    if (!given_up && is_early) return []
    const others = contents > 1 ? ` (and ${formatCount(contents - 1)} more)` : ''
    const lasting = given_up
      ? ''
      : ` has failed again and again for ${formatSpan(since_ms, now_ms)}`
    return {
      kind: 'queue' as const,
      about: given_up ? 'given up' : 'retries',
      message: `${name}${others}${lasting}: ${message}`,
      hint: given_up
        ? 'Sluice tries new bytes by itself while it runs; `sluice retry PATH` tries these again'
        : 'While it runs, Sluice tries it again by itself, and refuses it after too many tries unless the service is at fault; `sluice explain PATH` says more',
      since_ms,
    }
  })
}

function folderProblems(facts: HealthFacts, { offline_ms }: HealthLimits): Problem[] {
  const { folders, now_ms } = facts
  const away = awayIn(facts)
  return folders.flatMap(({ name, online, offline_reason, state_since_ms }) => {
    // Without a reason, the folder was not checked yet. That does not make it offline.
    if (online || offline_reason === undefined) return []
    if (now_ms <= afterAtWork(state_since_ms, offline_ms, away)) return []
    return {
      kind: 'folder' as const,
      about: name,
      message: `${name} has been offline for ${formatSpan(state_since_ms, now_ms)}: ${offline_reason}`,
      hint: 'mount it again: Sluice then goes on by itself while it runs; nothing in it counts as deleted',
      since_ms: state_since_ms,
    }
  })
}

function troubleProblems(facts: HealthFacts, { unreachable_ms }: HealthLimits): Problem[] {
  const { troubles, now_ms } = facts
  const away = awayIn(facts)
  return troubles.flatMap(({ about, message, hint, since_ms }) => {
    // Sluice goes on without the feature, and `sluice status` says so.
    if (featureIn(about) !== undefined) return []
    const project = projectIn(about)
    const kind = troubleKind(about)
    if (kind === 'service' && now_ms <= afterAtWork(since_ms, unreachable_ms, away)) return []
    const subject = troubleSubject(about)
    const lasting = kind === 'service' ? `${subject} for ${formatSpan(since_ms, now_ms)}: ` : ''
    const usual =
      'While it runs, Sluice tries again by itself; check service.base_url, the network and the proxy'
    return {
      kind,
      about: project ?? subject,
      message: kind === 'record' ? `${subject}: ${message}` : `${lasting}${message}`,
      hint: hint ?? usual,
      since_ms,
    }
  })
}

function troubleKind(about: string): Problem['kind'] {
  if (about === 'account' || about === 'page') return about
  if (about.startsWith(refused_fact)) return 'record'
  return projectIn(about) === undefined ? 'service' : 'project'
}

function auditProblems(facts: HealthFacts, { audit_late_ms }: HealthLimits): Problem[] {
  const { audits, now_ms } = facts
  const away = awayIn(facts)
  return audits.flatMap(({ project_id, since_ms, round_ms, running_ms = 0 }) => {
    const late_ms = afterAtWork(since_ms, round_ms + audit_late_ms, away)
    // A round that began too late has the full time of a round, from its start.
    const broken_ms =
      running_ms > late_ms ? afterAtWork(running_ms, round_ms + audit_late_ms, away) : late_ms
    if (now_ms <= broken_ms) return []
    return {
      kind: 'audit' as const,
      about: project_id,
      message: `${project_id} was not compared with the service for ${formatSpan(since_ms, now_ms)}`,
      hint: '`sluice verify` compares it now; the log says what stops the audit',
      since_ms: broken_ms,
    }
  })
}

function emptiedProblems({ audits }: HealthFacts): Problem[] {
  return audits.flatMap(({ project_id, emptied }) => {
    if (!emptied) return []
    const { since_ms, removed, expected } = emptied
    const gone = `${formatCount(removed)} of ${formatCount(expected)} files`
    return {
      kind: 'assets' as const,
      about: project_id,
      message: `${gone} are gone from ${project_id}: the project was emptied or replaced`,
      hint:
        'check project_id and service.base_url in the configuration first; `sluice retry FOLDER` uploads the files again, `sluice accept FOLDER` accepts that they are gone ' +
        '(and uploads what the upload limit or start holds back there; if files are missing on disk, it first confirms that, and you need it a second time)',
      since_ms,
    }
  })
}

function promptProblems(facts: HealthFacts, { prompt_late_ms }: HealthLimits): Problem[] {
  const { prompts, given_up, paused, absences, now_ms } = facts
  const problems = prompts.flatMap(({ name, patience_ms, unmet_ms, failed }): Problem[] => {
    const is_unmet = unmet_ms !== undefined && paused === undefined
    if (is_unmet && now_ms > afterAtWork(unmet_ms, patience_ms + prompt_late_ms, absences)) {
      const message = `${name} was due ${formatSpan(unmet_ms, now_ms)} ago, and there is no report and no recorded skip`
      const hint = `\`sluice prompts history ${name}\` says where its run stands`
      return [{ kind: 'prompt', about: name, message, hint, since_ms: unmet_ms }]
    }
    if (!failed) return []
    const message = `${failed.what ?? `the last run of ${name} failed`}: ${failed.why}`
    const hint = `\`sluice prompts show ${failed.run}\` says more, \`sluice prompts run ${name}\` asks again`
    return [{ kind: 'prompt', about: name, message, hint, since_ms: failed.since_ms }]
  })
  const lost = given_up.map(({ prompt, run, target, receiver, since_ms, message }): Problem => {
    const again = run === undefined ? '' : `, and \`sluice prompts deliver ${run}\` sends it again`
    const hint = `repair the receiver: the next delivery that reaches it resolves this${again}`
    return {
      kind: 'delivery',
      about: `${prompt}/${target}`,
      message: `${receiver} of ${prompt}: ${message}`,
      hint,
      since_ms,
    }
  })
  return [...problems, ...lost]
}

function machineProblems(
  { disk, ledger_fault, stuck, now_ms }: HealthFacts,
  { disk_free_bytes }: HealthLimits,
): Problem[] {
  const problems: Problem[] = []
  if (disk && disk.free_bytes < disk_free_bytes) {
    problems.push({
      kind: 'disk',
      about: 'state_dir',
      message: `${disk.path} has ${formatBytes(disk.free_bytes)} free, less than ${formatBytes(disk_free_bytes)}`,
      hint: 'free some space: on a full disk Sluice can record nothing, and then uploads nothing',
      since_ms: now_ms,
    })
  }
  if (ledger_fault) {
    const { message, hint, since_ms } = ledger_fault
    const usual = 'nothing is uploaded until it can be recorded: check the disk under state_dir'
    problems.push({ kind: 'ledger', about: 'ledger', message, hint: hint ?? usual, since_ms })
  }
  if (stuck.length > 0) {
    const silent_ms = Math.max(...stuck.map((each) => each.silent_ms))
    const names = stuck.map(({ name }) => name)
    const more = names.length > max_named ? ` and ${names.length - max_named} more` : ''
    problems.push({
      kind: 'progress',
      about: 'daemon',
      message: `no progress for ${formatSpan(now_ms - silent_ms, now_ms)}: ${names.slice(0, max_named).join(', ')}${more}`,
      hint: 'systemd restarts the daemon if its watchdog is on; otherwise restart it: nothing recorded is lost',
      since_ms: now_ms - silent_ms,
    })
  }
  return problems
}

/** Times without a daemon. Pauses are left out: scans, audits and other work go on in them. */
function awayIn({ absences }: HealthFacts): Absence[] {
  return absences.filter(({ why }) => why === 'away')
}
