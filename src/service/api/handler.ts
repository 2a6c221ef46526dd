import type { Role } from '../../contract/messages/messages-projects.ts'
import type { AnswerOf, ParamsOf, QueryOf, RequestOf, RouteId } from '../../contract/routes/routes.ts'
import type { Caller } from '../store/access.ts'

/** Who asks, and about what. */
export interface Who {
  caller: Caller
  /** The number of the project that the call is about; 0 where the route is not project-scoped. */
  project: number
  /** Of the caller in that project. */
  role: Role
}

/** One call, authenticated and parsed. */
export interface Call<Id extends RouteId> extends Who {
  params: ParamsOf<Id>
  query: QueryOf<Id>
  body: RequestOf<Id>
}

/** A handler answers the body; the status stands in the table. What it throws becomes the answer (faults). What it answers is committed. */
export type Handlers<Id extends RouteId> = {
  [Each in Id]: (call: Call<Each>) => AnswerOf<Each> | Promise<AnswerOf<Each>>
}
