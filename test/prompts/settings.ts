import fc from 'fast-check'
import type { RunAsset, RunTurn } from '../../src/domain/run.ts'
import type { RunWork, UnreadyFile } from '../../src/ledger/prompt-work.ts'
import type { FreshAsset } from '../../src/prompts/plan/fresh.ts'
import type { NetChange } from '../../src/prompts/plan/net-changes.ts'
import { type Unready, UnreadyTally } from '../../src/prompts/plan/unready.ts'
import type { PromptSettings } from '../../src/prompts/prompt-settings.ts'

export const zone = 'Europe/Berlin'
export const due_ms = Date.parse('2026-11-23T08:00:00+01:00')

export function settingsOf(changes: Partial<PromptSettings> = {}): PromptSettings {
  return {
    name: 'weekly-digest',
    project_id: 'project_00000000000000000000',
    schedule: { cron: '0 8 * * 1', timezone: zone },
    prompt:
      'What is new in {{folders}} since {{since}}? {{count}} files arrived: {{files}}Be brief.',
    intelligence: 'expert',
    provider: undefined,
    skills: [],
    read: 'search',
    public_data: undefined,
    language: 'en',
    scope: {
      folders: ['finance'],
      paths: [],
      fresh: 'since_last_run',
      labels: [],
      chats: [],
      concepts: [],
      projects: [],
      views: [],
    },
    first_run: 'from_now',
    when_nothing_new: 'skip',
    wait_for_files_ms: 0,
    max_assets: 200,
    when_too_many: 'next_run',
    continue_chat: false,
    catch_up_ms: 0,
    overlap: 'skip',
    report: { dir: '/srv/reports', file_name: '{{name}}-{{date}}.md' },
    deliver: [],
    ...changes,
  }
}

export function assetOf(content: number, name = `finance/${content}.pdf`, files = 1): FreshAsset {
  const asset_id = `asset_${String(content).padStart(20, '0')}`
  const md5 = content.toString(16).padStart(32, '0')
  return {
    content,
    asset_id,
    md5,
    size: content + 1,
    name,
    seq: content,
    arrived_ms: due_ms - 60_000 + content,
    times_unread: 0,
    files,
  }
}

export function unreadyOf(path: string, changes: Partial<UnreadyFile> = {}): UnreadyFile {
  const known = {
    content: undefined,
    md5: undefined,
    size: 1,
    seen_ms: due_ms,
    why: undefined,
    covered: false,
  }
  return { folder: 'finance', path, stage: 'on_the_way', ...known, ...changes }
}

export function changeOf(kind: NetChange['kind'], name: string, content?: number): NetChange {
  return {
    kind,
    name,
    folder: name.split('/', 1)[0]!,
    path: name.slice(name.indexOf('/') + 1),
    content,
  }
}

export function tallyOf(files: Iterable<UnreadyFile>): Unready {
  const tally = new UnreadyTally()
  for (const file of files) tally.add(file)
  return tally.found
}

export function turnOf(body: string, answer: string | undefined, index = 0): RunTurn {
  return {
    body,
    intended_ms: due_ms,
    chat_id: 'chat_00000000000000000001',
    message_id: `message_0000000000000000000${index}`,
    asked_ms: due_ms + 1_000,
    answer,
    answered_ms: due_ms + 9_000,
    asked_again: 0,
  }
}

export function runOf(changes: Partial<RunWork> = {}): RunWork {
  return {
    run: 1,
    prompt: 'weekly-digest',
    project_id: 'project_00000000000000000000',
    due_ms,
    cause: 'schedule',
    state: 'answered',
    began_ms: due_ms,
    prompt_began_ms: due_ms - 7 * 86_400_000,
    attempts: 0,
    notes: [],
    coverage: undefined,
    turn: 0,
    turns: [turnOf('{"prompt":"What is new?"}', 'Nothing much.')],
    assets: [],
    refusals: [],
    last_written_due_ms: undefined,
    chat_id: undefined,
    empty: undefined,
    last_answer: undefined,
    ...changes,
  }
}

export function asRunAsset({ files: _, ...asset }: FreshAsset, turn = 0): RunAsset {
  return { ...asset, turn }
}

/** File names that a disk allows, and worse ones. */
export const hostile_name = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.constantFrom(
    'a\nRun weekly-digest 2026-11-23T08:00+01:00',
    'a\u2028Run weekly-digest 2026-11-23T08:00+01:00\u2029',
    'a\r\n---\nname: other',
    '{{files}} {{since}} $& $1',
    '``` *x* <script>alert(1)</script> [a](http://b)',
    '" : # & * ! | > % @',
    '\u0085\u009b\ufeff\ud800',
  ),
)
