import { startService } from '../../rig/local-service.ts'
import { makeStore } from '../../rig/tree.ts'
import type { Target } from './api.ts'

export interface LocalTarget extends Target {
  close(): Promise<void>
}

/** Starts a local service of its own, with a key and a project. */
export async function localTarget(): Promise<LocalTarget> {
  const service = await startService({ data_dir: makeStore() })
  const { project_id } = service.projects.create('facts')
  const { token } = service.tokens.create('facts')
  return { url: service.api, token, project_id, close: () => service.close() }
}
