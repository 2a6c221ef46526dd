import type { AuditFact } from '../domain/audit.ts'
import type { DeliveryFact } from '../domain/delivery.ts'
import type {
  ContentFact,
  Fact,
  FileFact,
  FilesFound,
  FolderEvent,
  LabelFact,
  LifeFact,
  NameFact,
  PauseFact,
  TroubleFact,
  UserFact,
} from '../domain/fact.ts'
import type { RunFact } from '../domain/run.ts'
import type { WorkKind } from './ledger.ts'

/** Each kind of fact has one recorder (store.ts). */
export interface FactsOf {
  folder: FolderEvent
  file: FileFact
  found: FilesFound
  content: ContentFact
  label: LabelFact
  name: NameFact
  user: UserFact
  pause: PauseFact
  life: LifeFact
  trouble: TroubleFact
  run: RunFact
  delivery: DeliveryFact
  audit: AuditFact
}

export type FactKind = keyof FactsOf

type KindOf<Type> = {
  [Kind in FactKind]: Type extends FactsOf[Kind]['type'] ? Kind : never
}[FactKind]

interface FactRule<Type> {
  of: KindOf<Type>
  /** Workers that may have new work after this fact. One too few delays the work. */
  wakes?: readonly WorkKind[]
  /** True if the content's history keeps it, which `sluice explain` shows. */
  is_history?: true
  /** True if no PUT can use the stored ticket after this fact; the ticket is erased. */
  ends_ticket?: true
}

export const fact_table: { readonly [Type in Fact['type']]: FactRule<Type> } = {
  folder_configured: { of: 'folder', wakes: ['check', 'send', 'label', 'name', 'remove'] },
  folders_removed_except: { of: 'folder', wakes: ['label', 'name'] },
  folder_online: { of: 'folder', wakes: ['check', 'send', 'remove'] },
  folder_watched: { of: 'folder' },
  folder_offline: { of: 'folder' },
  scan_wanted: { of: 'folder', wakes: ['scan'] },
  checks_wanted: { of: 'folder', wakes: ['check'] },
  scan_finished: { of: 'folder', wakes: ['remove'] },

  file_seen: { of: 'file', wakes: ['check'] },
  file_settled: { of: 'file', wakes: ['send', 'label', 'name', 'remove'] },
  file_gone: { of: 'file', wakes: ['label', 'name', 'remove'] },
  file_ignored: { of: 'file', wakes: ['label', 'name'] },
  file_skipped: { of: 'file', wakes: ['label', 'name'] },
  file_blocked: { of: 'file', wakes: ['check'] },
  file_changed: { of: 'file', wakes: ['check'] },

  files_found: { of: 'found', wakes: ['send', 'label', 'name', 'remove'] },

  slot_intended: { of: 'content' },
  slot_reserved: { of: 'content', is_history: true },
  asset_found: { of: 'content', wakes: ['follow'], is_history: true, ends_ticket: true },
  bytes_accepted: { of: 'content', is_history: true },
  bytes_missing: { of: 'content', wakes: ['send'], is_history: true },
  ingest_started: { of: 'content', wakes: ['follow'], is_history: true, ends_ticket: true },
  ingest_continues: { of: 'content' },
  // The first ready content of a refused type makes the others wanted again.
  asset_ready: { of: 'content', wakes: ['send', 'label', 'name', 'remove'], is_history: true },
  // Others of its type may have waited for this result.
  content_refused: { of: 'content', wakes: ['send'], is_history: true, ends_ticket: true },
  type_refused: { of: 'content', is_history: true },
  type_rests: { of: 'content', is_history: true },
  types_freed: { of: 'content', wakes: ['send'] },
  deferred: { of: 'content' },
  slot_lost: { of: 'content', wakes: ['send'], is_history: true, ends_ticket: true },
  hit_dead: { of: 'content', wakes: ['send'], is_history: true },
  asset_vanished: { of: 'content', wakes: ['send'], is_history: true },
  asset_missing: { of: 'content', wakes: ['check'], is_history: true },
  asset_unready: { of: 'content', wakes: ['follow'], is_history: true },
  asset_failed: { of: 'content', is_history: true },
  asset_returned: { of: 'content', wakes: ['label', 'name'], is_history: true },
  content_orphaned: { of: 'content', is_history: true, ends_ticket: true },
  content_wanted_again: { of: 'content', wakes: ['send'], is_history: true, ends_ticket: true },
  removal_intended: { of: 'content', is_history: true },
  asset_removed: { of: 'content', wakes: ['send'], is_history: true },
  asset_kept: { of: 'content', wakes: ['label', 'name', 'remove'] },
  removal_deferred: { of: 'content' },

  labels_intended: { of: 'label' },
  labels_unsent: { of: 'label' },
  label_attached: { of: 'label' },
  label_detached: { of: 'label' },
  labels_settled: { of: 'label' },
  labels_deferred: { of: 'label' },

  name_intended: { of: 'name' },
  asset_named: { of: 'name' },
  name_deferred: { of: 'name' },

  accepted: { of: 'user', wakes: ['check', 'send'] },
  retried: { of: 'user', wakes: ['check', 'send', 'follow', 'label', 'name', 'remove'] },
  removals_accepted: { of: 'user', wakes: ['remove'] },

  paused: { of: 'pause' },
  resumed: { of: 'pause', wakes: ['send', 'label', 'name', 'remove', 'run', 'delivery'] },

  daemon_at_work: { of: 'life' },

  trouble_began: { of: 'trouble' },
  trouble_ended: { of: 'trouble', wakes: ['send', 'follow', 'label', 'name', 'remove', 'run'] },
  daemon_started: { of: 'trouble' },

  prompts_configured: { of: 'run', wakes: ['prompt', 'run', 'delivery'] },
  covered_restored: { of: 'run' },
  run_due: { of: 'run', wakes: ['run'] },
  run_passed_over: { of: 'run' },
  schedule_reset: { of: 'run', wakes: ['prompt'] },
  run_skipped: { of: 'run', wakes: ['run'] },
  run_planned: { of: 'run', wakes: ['run'] },
  turn_intended: { of: 'run' },
  turn_unsent: { of: 'run', wakes: ['run'] },
  turn_lost: { of: 'run', wakes: ['run'] },
  turn_asked: { of: 'run', wakes: ['run'] },
  turn_answered: { of: 'run', wakes: ['run'] },
  run_written: { of: 'run', wakes: ['run', 'delivery'] },
  run_failed: { of: 'run', wakes: ['run'] },
  run_deferred: { of: 'run', wakes: ['run'] },

  delivered: { of: 'delivery' },
  delivery_deferred: { of: 'delivery', wakes: ['delivery'] },
  delivery_failed: { of: 'delivery' },
  delivery_wanted_again: { of: 'delivery', wakes: ['delivery'] },
  alert_raised: { of: 'delivery', wakes: ['delivery'] },

  audit_wanted: { of: 'audit', wakes: ['audit'] },
  audit_round_began: { of: 'audit' },
  assets_listed: { of: 'audit', wakes: ['label', 'name'] },
  asset_confirmed: { of: 'audit' },
  audit_round_ended: { of: 'audit', wakes: ['send'] },
}
