import { messageOf } from '../base/run/errors.ts'
import { backoff_ms, day_ms, hour_ms, minute_ms, second_ms } from '../base/time/time.ts'
import type { Refusal } from '../domain/file-type.ts'
import { type About, type Feature, featureIn, projectIn } from '../domain/trouble.ts'
import { type History, type Judgement, judgeFailure, mayRest } from '../remote/judge-failure.ts'
import { type Call, type Failure, failureText } from '../remote/outcome.ts'
import {
  able,
  aboutOf,
  answerCode,
  blames,
  type CircuitTools,
  type Concern,
  type Host,
  isFor,
  isOfBytes,
  isTooMuch,
  refusalOf,
  type Tripped,
} from './blamed.ts'
import { FaultCounts } from './fault-counts.ts'
import { hintFor, isOfUploads } from './report.ts'

const retry = { first_ms: second_ms, max_ms: 5 * minute_ms }
const retry_account = { first_ms: 15 * second_ms, max_ms: 5 * minute_ms }
/** A feature that the service refuses rests this long: the right may be granted later. */
const refused_ms = day_ms
/** Interval to read the token's source while the token is refused. */
const token_check_ms = 2 * second_ms
/** A probe without a result for this long is lost. */
const probe_lost_ms = 2 * minute_ms
/** Longer than any wait. */
const far_ahead_ms = 366 * day_ms
/** No question is left if none was asked for this long after the pause of questions. */
const unasked_ms = hour_ms
/** Code of a trouble that is only a pause set by the service, which is thus online. */
const code_of_pause = 'service.asked_to_wait'
/** A shorter pause set by the service is not reported as a trouble. */
const quiet_pause_ms = minute_ms

export type Circuits = ReturnType<typeof createCircuits>

/**
 * The circuits of one service. After faults that concern more than one file, a circuit opens, and
 * calls that need it wait. After each pause, which grows, one call probes it. Each service has its
 * own circuits: late results of an earlier one do not concern the next.
 */
export function createCircuits(tools: CircuitTools) {
  const { ledger, clock, report } = tools
  const counts = new FaultCounts(clock)
  /** Resolves when all refusals on create so far are judged. */
  let refused: Promise<unknown> = Promise.resolve()
  const resting = new Map<About, Tripped>()
  let probe_until_ms = 0
  let token_checked_ms = Number.NEGATIVE_INFINITY
  let is_retired = false
  /** Unix ms, as the user's pause is kept. */
  let pause_ends_ms = Number.NEGATIVE_INFINITY

  /** Like `rests`, but for work that continues in a user's pause: only open circuits count. */
  function restsForTrouble(project_id: string, hosts: readonly Host[]): boolean {
    const now_ms = clock.monotonic_ms()
    const concerns = (about: About, tripped: Tripped) => {
      const project = projectIn(about)
      return (project === undefined || project === project_id) && isFor(about, tripped, hosts)
    }
    return [...resting].some(([about, tripped]) => {
      return tripped.until_ms > now_ms && concerns(about, tripped)
    })
  }

  /** Time until which a feature of a project rests, in Unix ms; undefined while it works. */
  function featureRests_ms(feature: Feature, project_id: string): number | undefined {
    const left_ms = (resting.get(`${feature}:${project_id}`)?.until_ms ?? 0) - clock.monotonic_ms()
    return left_ms > 0 ? Math.ceil(clock.now_ms() + left_ms) : undefined
  }

  /** A new token is in use: calls begin at once. Answers to the old one say nothing about it. */
  function tokenChanged(): void {
    const account = resting.get('account')
    if (!account) return
    account.until_ms = clock.monotonic_ms()
    account.attempts = 0
  }

  /** True if nothing is due within the horizon, in this project or, without one, in any. */
  async function isIdle(project_id?: string, horizon_ms = far_ahead_ms): Promise<boolean> {
    const others = tools.projects.filter((project) => project_id && project !== project_id)
    return !(await ledger.dueElsewhere(others, horizon_ms))
  }

  /** Ends the troubles of features of which nothing is due. */
  async function endIdleFeatures(): Promise<void> {
    for (const [about, { until_ms }] of [...resting]) {
      const feature = featureIn(about)
      const project_id = projectIn(about)
      if (feature === undefined || project_id === undefined) continue
      const is_idle = {
        labels: () => isIdle(project_id),
        audit: () => !tools.audited?.includes(project_id),
        // A question that waits is asked again soon after the pause.
        questions: () => clock.monotonic_ms() - until_ms > unasked_ms,
      }[feature]
      if (await is_idle()) await heal(about)
    }
  }

  async function trip(
    about: About,
    failure: Failure,
    of: { pause_ms: number | undefined; wait_ms: number | undefined; call: Call | undefined },
  ): Promise<void> {
    const { pause_ms, call } = of
    const now_ms = clock.monotonic_ms()
    const before = resting.get(about)
    // Calls that were already running when it tripped show nothing new.
    if (before && before.until_ms > now_ms) return
    const attempts = before?.attempts ?? 0
    const is_refusal = about === 'account' || projectIn(about) !== undefined
    const limits = is_refusal ? retry_account : retry
    // After a pause of zero (Retry-After: 0) calls would repeat as fast as the network allows.
    const usual_ms = of.wait_ms ?? backoff_ms(attempts, limits)
    const wait_ms = pause_ms === undefined ? usual_ms : Math.max(pause_ms, limits.first_ms)
    // The words about one content may name its file, and all users of the project see a trouble.
    const is_of_content = failure.about === 'content' && failure.call === 'create'
    const message = is_of_content ? failure.message : failureText(failure)
    const since_ms = before?.since_ms ?? now_ms
    // Short pauses in a row, without a success in between, count as a long one.
    const is_long =
      pause_ms === undefined || pause_ms > quiet_pause_ms || now_ms - since_ms > quiet_pause_ms
    const recorded = !is_retired && (before?.recorded === true || is_long)
    const code = pause_ms === undefined ? answerCode(failure) : code_of_pause
    const tripped = {
      code,
      attempts: attempts + 1,
      until_ms: now_ms + wait_ms,
      since_ms,
      message,
      recorded,
      call,
      asked_to_wait: pause_ms !== undefined,
    }
    resting.set(about, tripped)
    if (recorded && !before?.recorded) {
      const hint = hintFor(about, code)
      report.trouble(about, `${message}. ${hint}`, 'error', code)
      await ledger
        .record([{ type: 'trouble_began', about, error: { code, message, hint } }])
        .catch((error) => {
          tripped.recorded = false
          throw error
        })
    }
  }

  async function heal(about: About): Promise<void> {
    const tripped = resting.get(about)
    if (!tripped) return
    resting.delete(about)
    if (!tripped.recorded || is_retired) return
    try {
      await ledger.record([{ type: 'trouble_ended', about }])
    } catch (error) {
      // The next success repeats it. The call that succeeded goes on: if it threw here, its result,
      // such as a new slot, would be lost.
      if (!resting.has(about)) resting.set(about, { ...tripped, until_ms: 0 })
      report.fault('the end of a trouble', error)
      return
    }
    report.trouble(about, 'resolved', 'info')
  }

  async function historyOf(
    failure: Failure,
    project_id: string,
    concern: Concern | undefined,
    refusal: Refusal | undefined,
  ): Promise<History> {
    const { call } = failure
    const open = blames.filter((blame) => {
      const tripped = resting.get(aboutOf(blame, call, project_id))
      // Reading goes on while other calls of uploads are refused.
      const is_of_call = blame === 'step' || (blame === 'uploads' && call === 'read')
      return tripped !== undefined && (!is_of_call || tripped.call === call)
    })
    const history = {
      is_left: !tools.projects.includes(project_id),
      open,
      upload: concern?.upload?.tries,
      ...counts.add(failure, project_id, concern?.content),
    }
    if (!refusal || isOfBytes(refusal) || open.includes('uploads')) return history
    return { ...history, refusals: await ledger.alikeRefusals(concern!.content, refusal) }
  }

  async function judge(
    failure: Failure,
    project_id: string,
    concern: Concern | undefined,
  ): Promise<Judgement> {
    const refusal = refusalOf(failure, concern)
    const history = await historyOf(failure, project_id, concern, refusal)
    const judgement = judgeFailure(failure, history)
    await rest(judgement, failure, project_id, concern, refusal)
    return judgement
  }

  /** Lets rest what the judgement blames. */
  async function rest(
    { blame, fact }: Judgement,
    failure: Failure,
    project_id: string,
    concern: Concern | undefined,
    refusal: Refusal | undefined,
  ): Promise<void> {
    const { call, retry_after_ms } = failure
    if (mayRest(failure) === 'host' && !is_retired && isTooMuch(failure)) tools.onSlowDown()
    const { content, upload } = concern ?? { content: 0 }
    if (refusal && (fact === 'refused' || fact === 'rests')) {
      const error = { code: refusal.answer, message: failureText(failure) }
      // Not the words of the service: they may name a file, and all files of the type show this.
      const said = failure.message
      return ledger.record([
        fact === 'rests'
          ? { type: 'type_rests', content, refusal, said }
          : { type: 'content_refused', content, error, ...(!isOfBytes(refusal) && { refusal }) },
      ])
    }
    if (blame === 'none' || blame === 'types') return
    const is_of_call =
      blame === 'step' || blame === 'uploads' || (blame === 'project' && upload !== undefined)
    const may_pause = blame === 'host' || blame === 'feature'
    const about = aboutOf(blame, call, project_id)
    const frees_types = refusal && blame === 'uploads' && !resting.has(about)
    // It rests from now on, so that answers that come meanwhile are not judged alone.
    const tripping = trip(about, failure, {
      pause_ms: may_pause ? retry_after_ms : undefined,
      wait_ms: fact === 'refused' ? refused_ms : undefined,
      call: is_of_call ? call : undefined,
    })
    const freeing = frees_types && ledger.record([{ type: 'types_freed', content, refusal }])
    await Promise.all([tripping, freeing])
  }

  function checkToken(now_ms: number): void {
    const account = resting.get('account')
    if (!account || now_ms - token_checked_ms < token_check_ms) return
    token_checked_ms = now_ms
    // The file of the token may not answer. The next allowance uses what is known by then.
    tools.reloadToken().then(
      (is_new) => is_new && tokenChanged(),
      (error: unknown) => report.trouble('account', messageOf(error), 'error'),
    )
  }

  return {
    /**
     * Work that a worker on these hosts may begin. Refused projects are excluded until their pause
     * is over, and others continue at full speed. `limit` is the number of items allowed now, 0
     * while everything pauses or a probe is out, 1 for a probe.
     */
    allowance(hosts: readonly Host[], feature?: Feature) {
      const now_ms = clock.monotonic_ms()
      checkToken(now_ms)
      const except_projects: string[] = []
      let probing = false
      let wait_ms = 0
      for (const [about, tripped] of resting) {
        const { until_ms } = tripped
        const project = projectIn(about)
        const of_feature = featureIn(about)
        if (of_feature === undefined ? !isFor(about, tripped, hosts) : of_feature !== feature)
          continue
        if (project !== undefined) {
          if (until_ms > now_ms) except_projects.push(project)
        } else if (until_ms <= now_ms) probing = true
        else wait_ms = Math.max(wait_ms, until_ms - now_ms)
      }
      if (wait_ms > 0)
        return { limit: 0, wait_ms: Math.min(wait_ms, token_check_ms), except_projects }
      if (!probing) return { limit: Number.POSITIVE_INFINITY, wait_ms: 0, except_projects }
      if (probe_until_ms > now_ms) return { limit: 0, wait_ms: token_check_ms, except_projects }
      probe_until_ms = now_ms + probe_lost_ms
      return { limit: 1, wait_ms: 0, except_projects }
    },
    /** True if claimed work must not begin: in a user's pause, or while its circuit is open. */
    rests(project_id: string, hosts: readonly Host[], feature?: Feature): boolean {
      if (feature && featureRests_ms(feature, project_id) !== undefined) return true
      return pause_ends_ms > clock.now_ms() || restsForTrouble(project_id, hosts)
    },
    restsForTrouble,
    featureRests_ms,
    endIdleFeatures,
    /** Call it when the probe had no work, or has ended, with or without a call. */
    unused(): void {
      probe_until_ms = 0
    },
    /**
     * Call it when no upload may begin. Ends the troubles that only more uploads could end: those
     * of uploads if none is due or under way, and those of projects that are not audited and have
     * no work left.
     */
    async nothingToSend(): Promise<void> {
      const now_ms = clock.monotonic_ms()
      for (const [about, { until_ms }] of [...resting]) {
        if (until_ms > now_ms) continue
        const project_id = projectIn(about)
        if (isOfUploads(about)) {
          if (await isIdle(project_id, 0)) await heal(about)
        } else if (project_id !== undefined && featureIn(about) === undefined) {
          const is_audited =
            tools.audited?.includes(project_id) && resting.get(about)?.call === undefined
          if (!is_audited && (await isIdle(project_id))) await heal(about)
        }
      }
      await endIdleFeatures()
    },
    /** Judges a failed call, and lets rest what it blames. */
    async failed(failure: Failure, project_id: string, concern?: Concern): Promise<Judgement> {
      probe_until_ms = 0
      if (!refusalOf(failure, concern)) return judge(failure, project_id, concern)
      // One after the other: each must see the refusals before it.
      const judged = refused.then(() => judge(failure, project_id, concern))
      refused = judged.catch(() => {})
      return judged
    },
    async succeeded(call: Call, project_id: string): Promise<void> {
      counts.succeeded(call, project_id)
      // A refusal that came before must be judged before: afterwards it would stand alone.
      if (call === 'create') await refused
      if (resting.size === 0) return
      const healed = able(call, project_id).filter((about) => {
        const of_call = resting.get(about)?.call
        return resting.has(about) && (of_call === undefined || of_call === call)
      })
      if (healed.length === 0) return
      probe_until_ms = 0
      for (const about of healed) await heal(about)
    },
    /** A user asks again for what the service refused. */
    retryRefused(): void {
      for (const [about, tripped] of resting) {
        if (featureIn(about) !== undefined) tripped.until_ms = clock.monotonic_ms()
      }
    },
    /** Stops outgoing work: claimed work is released, and the ledger hands out none. */
    pause(until_ms = Number.POSITIVE_INFINITY): void {
      pause_ends_ms = until_ms
    },
    resume(): void {
      pause_ends_ms = Number.NEGATIVE_INFINITY
    },
    tokenChanged,
    /**
     * Another service, or another way to this one, is in force with its own circuits. All troubles
     * here end, and no more are reported: the ledger has one trouble per kind, which now belongs to
     * the other circuits.
     */
    async retire(): Promise<void> {
      for (;;) {
        const recorded = [...resting].filter(([, tripped]) => tripped.recorded)
        if (recorded.length === 0) break
        // If recording fails, these circuits stay in force, and end the trouble when they can.
        await ledger.record(recorded.map(([about]) => ({ type: 'trouble_ended', about })))
        for (const [about, tripped] of recorded) {
          tripped.recorded = false
          report.trouble(
            about,
            'dropped: the connection to the service was configured anew',
            'info',
          )
        }
      }
      is_retired = true
    },
    /** Ends the troubles of all other projects, which the configuration no longer names. */
    async forgetProjectsExcept(projects: readonly string[]): Promise<void> {
      for (const about of [...resting.keys()]) {
        const project_id = projectIn(about)
        if (project_id !== undefined && !projects.includes(project_id)) await heal(about)
      }
    },
    tripped: () => [...resting].map(([about, tripped]) => ({ about, ...tripped })),
  }
}
