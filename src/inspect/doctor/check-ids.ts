/** Every check, by group, in the order in which they are shown; docs/operating.md has a line for each (a test compares). */
export const check_groups = {
  Configuration: ['config', 'token', 'secret_files', 'time_zones'],
  Service: ['ca', 'api_host', 'project', 'blob_host', 'clock'],
  Folders: ['folder', 'rights', 'widening', 'filesystem', 'watching', 'inotify'],
  State: ['user', 'state_dir', 'space', 'ledger', 'removals', 'unit'],
  Deliveries: ['mail', 'webhook', 'command'],
  Machine: ['node', 'sqlite', 'md5', 'open_files'],
} as const

type GroupName = keyof typeof check_groups
export type CheckId = (typeof check_groups)[GroupName][number]
