import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from './world.ts'

/**
 * The final state of the prompt of a world, without times and ids, which differ between undisturbed
 * runs.
 */
export interface PromptEnd {
  /** From the service's own database: each question with its answer, once. */
  chats: { prompt: string; status: string; response: string }[][]
  /** Number of questions that the service took, from its log. */
  posts: number
  /** Name and content; without the notes of a manifest on how the question was found. */
  reports: [name: string, content: unknown][]
  copies: [name: string, content: unknown][]
  /** Calls of the webhook: at least one, all with the same id and body. */
  hook: { is_reached: boolean; ids: number; bodies: number }
  prompts: unknown[]
  runs: unknown[]
  covered: unknown[]
  deliveries: unknown[]
}

export function readPromptEnd(world: World): PromptEnd | undefined {
  const { prompt, service, project_id } = world
  if (!prompt) return undefined
  const chats = service.chats(project_id).map(({ messages }) =>
    messages.map((message) => ({
      prompt: bare(message.prompt),
      status: message.status,
      response: bare(message.response ?? ''),
    })),
  )
  // Status 0: a scenario drops the connection after the service took the question.
  const posts = service.requestLog.filter(
    ({ place, status }) =>
      (place === 'chats.start' || place === 'messages.append') &&
      (status === 0 || (status >= 200 && status < 300)),
  ).length
  const bodies = prompt.receiver.requests
    .filter(({ whole }) => whole)
    .map(({ body }) => body.toString())
  const ids = bodies.map((body) => (JSON.parse(body) as { id: string }).id)
  return {
    chats,
    posts,
    reports: filesIn(prompt.reports),
    copies: filesIn(prompt.copies),
    hook: { is_reached: bodies.length > 0, ids: new Set(ids).size, bodies: new Set(bodies).size },
    prompts: prompt.read(
      `SELECT name, configured, checked_ms = ${prompt.due_ms} AS is_checked, last_written_due_ms - ${prompt.due_ms} AS mark,
         checked_ms > ${world.clock.now_ms()} AS is_ahead FROM prompts`,
    ),
    runs: prompt
      .read(
        'SELECT state, cause, turn, error_code, why, report_path IS NOT NULL AS has_report FROM runs ORDER BY due_ms',
      )
      .map((row) => bare(JSON.stringify(row))),
    covered: prompt.read(
      'SELECT lower(hex(md5)) AS md5, size, what, run IS NOT NULL AS by_run FROM covered ORDER BY md5, size, what',
    ),
    deliveries: prompt.read('SELECT target, state, error_code FROM deliveries ORDER BY target'),
  }
}

function filesIn(dir: string): [string, unknown][] {
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .sort()
    .filter((name) => statSync(join(dir, name)).isFile())
    .map((name) => {
      const text = readFileSync(join(dir, name), 'utf8')
      return [name, name.endsWith('.json') ? bareManifest(text) : bareReport(text)]
    })
}

function bareManifest(text: string): unknown {
  const manifest = JSON.parse(text) as { notes?: string[] }
  const notes = manifest.notes?.filter((note) => !hangsOnTheStop(note))
  return JSON.parse(bare(JSON.stringify({ ...manifest, notes })))
}

function bareReport(text: string): string {
  const lines = text.split('\n').filter((line) => !hangsOnTheStop(line))
  const without_empty = bare(lines.join('\n')).replace(/## Notes\n+(?=## |<!--|$)/, '')
  return without_empty.replace(/\n\n+/g, '\n\n').trimEnd()
}

/**
 * Whether a note depends on the stop. A question after a crash is noted as found or asked once
 * more. A question that the service ended is noted unless the stop came first. The plan that first
 * finds an asset removed, failed or ingesting again adds a note; a later plan only counts it in the
 * coverage.
 */
function hangsOnTheStop(note: string): boolean {
  return /the question was found on the service|: asked once more|, and asked once more|(was removed on|is being read again by|cannot be used by) the service.*: left out/.test(
    note,
  )
}

function bare(text: string): string {
  return text
    .replace(/\b(asset|chat|message|project)_[a-z0-9]{20}\b/g, '$1')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)/g, 'TIME')
    .replace(/ \((\d{4}-\d\d-\d\d )?\d\d:\d\d\)/g, ' (TIME)')
    .replace(/\b\d{1,2} [A-Z][a-z]+ \d{4}(, \d\d:\d\d)?/g, 'TIME')
    .replace(/\brun_[0-9a-f]{24}\b/g, 'run')
    .replace(/\b\d{13}\b/g, '0')
    .replace(/^(?:- .*(?:\n|$))+/gm, inOrder)
}

/** An answer lists files by the time they came in, which hangs on the stop. */
function inOrder(list: string): string {
  return list
    .trimEnd()
    .split('\n')
    .sort()
    .join('\n')
    .concat(list.endsWith('\n') ? '\n' : '')
}
