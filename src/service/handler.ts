import type { Role } from '../contract/messages-projects.ts'
import type { ParamsOf, QueryOf, RequestOf, RouteId } from '../contract/routes.ts'
import type { Caller } from './access.ts'

/** One call, authenticated and parsed. */
export interface Call<Id extends RouteId> {
  caller: Caller
  /** The number of the project that the call is about; 0 where the route is not project-scoped. */
  project: number
  /** Of the caller in that project. */
  role: Role
  params: ParamsOf<Id>
  query: QueryOf<Id>
  body: RequestOf<Id>
}

export interface Answer {
  status: number
  /** Absent: an answer without a body. */
  body?: unknown
  /** Of the asset that the call turned out to be about, for the request log. */
  asset_id?: string
}

/** What a handler throws becomes the answer (faults). What it answers is committed. */
export type Handlers<Id extends RouteId> = { [Each in Id]: (call: Call<Each>) => Answer | Promise<Answer> }

export const no_content: Answer = { status: 204 }
