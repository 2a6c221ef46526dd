import { stringify } from 'yaml'
import type { Config, FolderConfig } from './config.ts'
import { durationText } from './units.ts'

/** The effective values as a file that gives the same configuration again. It holds no secret: a Config has none. */
export function configAsYaml(config: Config): string {
  return stringify({
    ...config,
    folders: config.folders.map((folder) => ({ ...folder, start: startAsWritten(folder) })),
  })
}

function startAsWritten({ start }: FolderConfig): unknown {
  return start.kind === 'newer_than' ? { newer_than: durationText(start.age_ms) } : start.kind
}
