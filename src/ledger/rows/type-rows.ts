import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { day_ms } from '../../base/time/time.ts'
import {
  type AlikeRefusals,
  extensionOf,
  max_failed_of_type,
  type Refusal,
  trial_ms,
  typeRefusal,
  typeRest,
  typeTrial,
} from '../../domain/file-type.ts'
import { type ContentRow, type ContentRows, in_need } from './content-rows.ts'
import { alike_refusals, refused_alike, tried_again } from './refusal-sql.ts'

type Content = Pick<ContentRow, 'id' | 'project' | 'attempts'>

/** The files with one extension in one project. */
interface TypeRow {
  project: number
  extension: string
  /** `accepted`: by a user, until the undo. `usable`: a file of it became ready. That is final. */
  state: 'unproven' | 'refused' | 'accepted' | 'usable'
  /** JSON of the first contents that failed. */
  failed: string
  /** Unix ms of the last failure that counts, then of the last daily try. */
  tried_ms: number
  /**
   * The answer by which the service refuses contents of this type on create; null: none. An empty
   * text: it is tried again, and was not taken yet.
   */
  rests: string | null
  /** Code of that answer. Null: none, or unknown. */
  answer: string | null
}

interface RefusedContent {
  content: number
  extension: string
}

/**
 * An unproven type, in memory only: after a restart another `max_failed_of_type` files go. Those
 * that wait are found by their error code.
 */
interface Trial extends Pick<TypeRow, 'project' | 'extension'> {
  /** Unix ms of the claim, by id of each content that has no result yet. */
  open: Map<number, number>
}

/** Each try costs an upload, and a service seldom learns to read another type. */
const try_again_ms = day_ms
const held = `${in_need} AND +state = 'type_refused'
  AND EXISTS (SELECT 1 FROM files WHERE content = contents.id AND files.state = 'present')`

/** Reads and writes `types`, and finds the contents that their types hold. */
export function createTypeRows(database: Sqlite, rows: ContentRows) {
  const trials = new Map<string, Trial>()
  const get = database.prepare('SELECT * FROM types WHERE project = ? AND extension = ?')
  const put = database.prepare(
    'INSERT OR REPLACE INTO types VALUES (@project, @extension, @state, @failed, @tried_ms, @rests, @answer)',
  )
  // Equal files under a thousand names have few types.
  const paths_of = database
    .prepare(`SELECT path FROM files WHERE content = ? AND state = 'present' LIMIT 1000`)
    .pluck()
  const all_refused = database.prepare(`SELECT * FROM types WHERE state = 'refused' OR rests <> ''`)
  const refuse = database.prepare(
    'INSERT OR REPLACE INTO create_refusals VALUES (@content, @project, @answer, @extension)',
  )
  const refused = database.prepare(refused_alike)
  const alike = database.prepare(alike_refusals)
  const forget = database.prepare('DELETE FROM create_refusals WHERE project = ?')
  const try_refused = database.prepare(tried_again)
  const end_rests = database.prepare(
    `UPDATE types SET rests = '' WHERE project = ? AND rests <> ''`,
  )
  const take = database.prepare('UPDATE types SET rests = NULL WHERE project = ? AND extension = ?')
  const all_held = database.prepare(`SELECT id, project, attempts FROM contents WHERE ${held}`)
  // The longest untried first: one that is at fault itself must not be the only one.
  const one_held = database
    .prepare(
      `SELECT id FROM contents WHERE ${held} AND project = ? AND error_code IN (?, ?)
         ORDER BY coalesce(intended_ms, 0), id LIMIT 1`,
    )
    .pluck()

  const released = database.prepare(
    `SELECT id, project, attempts FROM contents WHERE queue = 'send' AND state = 'wanted' AND any_type = 1 AND project = ?`,
  )

  function typeOf(project: number, extension: string): TypeRow {
    const known = get.get(project, extension) as TypeRow | undefined
    const unproven = { state: 'unproven', failed: '[]', tried_ms: 0, rests: null } as const
    return known ?? { project, extension, ...unproven, answer: null }
  }

  function typesOf({ id, project }: Content): TypeRow[] {
    const extensions = new Set((paths_of.all(id) as string[]).map(extensionOf))
    return [...extensions].map((extension) => typeOf(project, extension))
  }

  /** Writes a type. Once it is usable or refused, what waited for that is due. */
  function save(type: TypeRow, at_ms: number): void {
    put.run(type)
    if (type.state !== 'unproven') rows.makeDue(typeTrial(type.extension).code, at_ms, type.project)
  }

  function trialOf({ project, extension }: TypeRow): Trial {
    const key = `${project} ${extension}`
    const trial = trials.get(key) ?? { project, extension, open: new Map() }
    trials.set(key, trial)
    return trial
  }

  /** True if an unproven type has no place left for this content. */
  function isFull(type: TypeRow, content: Content, at_ms: number): boolean {
    const { open } = trialOf(type)
    for (const [id, since_ms] of open) {
      if (Math.abs(at_ms - since_ms) >= trial_ms) open.delete(id)
    }
    const places = max_failed_of_type - (JSON.parse(type.failed) as number[]).length
    // Contents with earlier tries go on.
    return open.size >= places && !open.has(content.id) && content.attempts === 0
  }

  /** Frees the places of a content. With a time, those that wait may take them at once. */
  function leave(content: number, at_ms?: number): void {
    for (const { project, extension, open } of trials.values()) {
      if (open.delete(content) && at_ms !== undefined)
        rows.makeDue(typeTrial(extension).code, at_ms, project, 1)
    }
  }

  /** A content that fails again counts once. */
  function failed(content: Content, at_ms: number): void {
    leave(content.id)
    for (const type of typesOf(content).filter(
      ({ state }) => state === 'unproven' || state === 'accepted',
    )) {
      const contents = [...new Set(JSON.parse(type.failed) as number[]).add(content.id)].slice(
        0,
        max_failed_of_type,
      )
      const counted = { ...type, failed: JSON.stringify(contents), tried_ms: at_ms }
      save(type.state === 'accepted' ? counted : judged(counted), at_ms)
    }
  }

  /** Records that these types are not held. Returns the contents that they no longer refuse. */
  function release(
    types: readonly TypeRow[],
    state: 'accepted' | 'usable',
    at_ms: number,
  ): number[] {
    const news = types.filter((type) => type.state !== state && type.state !== 'usable')
    for (const type of news) save({ ...type, state }, at_ms)
    return news.some(isRefused) ? noLongerHeld() : []
  }

  function noLongerHeld(): number[] {
    return (all_held.all() as Content[])
      .filter((content) => !typesOf(content).every(isHeld))
      .map(({ id }) => id)
  }

  /** The facts from before about a content that is refused on create. */
  function alikeRefusals(content: number, refusal: Refusal, now_ms: number): AlikeRefusals {
    return readOne<AlikeRefusals>(alike, { content, now_ms, ...refusal })!
  }

  /** Keeps a refusal on create, over restarts. */
  function addRefusal({ id, project }: Content, refusal: Refusal): void {
    refuse.run({ content: id, project, ...refusal })
  }

  /** Contents that are refused for the same answer; none if fewer than `least` had it. */
  function refusedAlike(project: number, answer: string, least: number): RefusedContent[] {
    return readAll(refused, { project, answer, least })
  }

  /** The service refuses such contents on create. Equal bytes under another type say nothing. */
  function rest(project: number, refusal: Refusal, said: string, at_ms: number): void {
    const { extension, answer } = refusal
    const type = typeOf(project, extension)
    if (!type.rests) save({ ...type, rests: said, answer, tried_ms: at_ms }, at_ms)
  }

  /** Tries again all types of a project that rest. Returns what nothing holds. */
  function endRests(project: number): number[] {
    return end_rests.run(project).changes === 0 ? [] : noLongerHeld()
  }

  /** Ends the rests, and tries again those refused with this answer. */
  function free(project: number, answer: string): number[] {
    const freed = endRests(project)
    try_refused.run({ project, answer })
    return freed
  }

  /**
   * The service gave a slot to a content of this type. If the type rested until now, the cause may
   * be over for all. Returns the contents that nothing holds now.
   */
  function taken(project: number, extension: string): number[] {
    forget.run(project)
    const freed = typeOf(project, extension).rests ? endRests(project) : []
    take.run(project, extension)
    return freed
  }

  /**
   * The type that holds a content, if all its types are refused or have no place left. If not, the
   * content takes a place in each unproven one.
   */
  function holding(content: Content, at_ms: number): TypeRow | undefined {
    const all = typesOf(content)
    const types = all.filter(({ rests }) => !rests)
    if (types.length === 0) return all[0]
    if (types.some(({ state }) => state === 'usable' || state === 'accepted')) return undefined
    const unproven = types.filter((type) => !isRefused(type))
    if (unproven.every((type) => isFull(type, content, at_ms))) return unproven[0] ?? types[0]
    for (const type of unproven) trialOf(type).open.set(content.id, at_ms)
    return undefined
  }

  /** Judges an accepted type again, and its contents that wait. Returns no content to retry. */
  function undoAccept(project: number, extension: string, at_ms: number): number[] {
    const type = typeOf(project, extension)
    if (type.state !== 'accepted') return []
    save(judged({ ...type, tried_ms: at_ms }), at_ms)
    for (const content of released.all(project) as Content[]) {
      const is_of_type = typesOf(content).some((other) => other.extension === extension)
      if (is_of_type)
        rows.update(rows.get(content.id)!, { ...rows.get(content.id)!, any_type: false })
    }
    return []
  }

  /** Begins the daily tries that are due. Returns a content of each of these types. */
  function dailyTries(at_ms: number): number[] {
    // A time far in the future means that the clock was turned back since.
    const due = (all_refused.all() as TypeRow[]).filter(
      ({ tried_ms }) => Math.abs(at_ms - tried_ms) >= try_again_ms,
    )
    for (const type of due) save({ ...type, tried_ms: at_ms }, at_ms)
    return due.flatMap(
      ({ project, extension }) =>
        one_held.all(
          project,
          typeRefusal(extension).code,
          typeRest(extension, '').code,
        ) as number[],
    )
  }

  return {
    alikeRefusals,
    addRefusal,
    refusedAlike,
    rest,
    free,
    taken,
    failed,
    leave,
    holding,
    dailyTries,
    undoAccept,
    becameReady: (content: Content, at_ms: number) => release(typesOf(content), 'usable', at_ms),
    accept: (project: number, extension: string, at_ms: number) => [
      ...taken(project, extension),
      ...release([typeOf(project, extension)], 'accepted', at_ms),
    ],
    isHeld: (project: number, path: string) => isHeld(typeOf(project, extensionOf(path))),
  }
}

function isHeld(type: TypeRow): boolean {
  return Boolean(type.rests) || isRefused(type)
}

function judged(type: TypeRow): TypeRow {
  const failed = (JSON.parse(type.failed) as number[]).length
  return { ...type, state: failed < max_failed_of_type ? 'unproven' : 'refused' }
}

function isRefused({ state }: TypeRow): boolean {
  return state === 'refused'
}
