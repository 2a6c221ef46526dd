import { unknownProtocol } from '../contract/failures.ts'
import type { ApiRequest, Reader } from './api.ts'
import type { Outcome } from './outcome.ts'
import { fieldsOf, idOf, pageOf, textOf } from './translate.ts'

export interface ProjectReference {
  project_id: string
  name: string
  /** The project that the token opens first. */
  is_default: boolean
}

/** 10,000 projects: nobody chooses from more, and a list without end is a fault. */
const pages_most = 100

type Send = <T>(request: ApiRequest, read: Reader<T>) => Promise<Outcome<T>>

/** All that the token reaches. */
export async function listProjects(send: Send, limit: number): Promise<Outcome<ProjectReference[]>> {
  const projects: ProjectReference[] = []
  let after_id: string | undefined
  for (let page = 0; page < pages_most; page++) {
    const cursor = after_id
    const request: ApiRequest = {
      call: 'list',
      method: 'GET',
      project_id: undefined,
      segments: ['projects'],
      query: { limit, after_id },
    }
    const outcome = await send(request, (value) => pageOf(value, 'project', cursor, projectOf))
    if (!outcome.ok) return outcome
    projects.push(...outcome.value.items)
    after_id = outcome.value.next
    if (after_id === undefined) return { ...outcome, value: projects }
  }
  return { ok: false, failure: unknownProtocol('list', `the list of projects does not end after ${pages_most} pages`) }
}

function projectOf(value: unknown): ProjectReference {
  const fields = fieldsOf(value, 'the project')
  const project_id = idOf('project', fields.project_id)
  return { project_id, name: textOf(fields.name) ?? project_id, is_default: fields.default === true }
}
