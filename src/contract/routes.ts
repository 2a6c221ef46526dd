import { z } from 'zod'
import { crudRoutes, switchRoutes } from './crud-routes.ts'
import { listQuery } from './envelope.ts'
import { actionCreate, actionList, actionParams, actionRecord, actionUpdate } from './messages-actions.ts'
import { memoryCreate, memoryList, memoryParams, memoryRecord, memoryUpdate } from './messages-memories.ts'
import {
  sessionCreate,
  sessionList,
  sessionParams,
  sessionRecord,
  sessionUpdate,
  transcript,
} from './messages-sessions.ts'
import { skillCreate, skillList, skillParams, skillRecord, skillUpdate } from './messages-skills.ts'
import { open, type Route, scoped } from './route.ts'
import { asset_routes } from './routes-assets.ts'
import { chat_routes } from './routes-chats.ts'
import { label_routes } from './routes-labels.ts'
import { project_routes } from './routes-projects.ts'

const skill = { params: skillParams, create: skillCreate, update: skillUpdate, record: skillRecord, list: skillList }
const memory = {
  params: memoryParams,
  create: memoryCreate,
  update: memoryUpdate,
  record: memoryRecord,
  list: memoryList,
}
const action = {
  params: actionParams,
  create: actionCreate,
  update: actionUpdate,
  record: actionRecord,
  list: actionList,
}
const session = {
  params: sessionParams,
  create: sessionCreate,
  update: sessionUpdate,
  record: sessionRecord,
  list: sessionList,
}

/** The one table of the interface: what is not here does not exist. */
export const routes = [
  {
    ...open,
    id: 'description.read',
    method: 'GET',
    path: '/v1/openapi.yaml',
    summary: 'This description',
    answers: { 200: z.string() },
    media_type: 'application/yaml',
  },
  ...project_routes,
  ...asset_routes,
  ...label_routes,
  ...chat_routes,
  ...crudRoutes('skills', 'skill', skill, ['publicapi.skill.name_taken']),
  ...switchRoutes('skills', 'skill', skill),
  ...crudRoutes('memories', 'memory', memory),
  ...crudRoutes('actions', 'action', action, ['publicapi.action.timing']),
  ...switchRoutes('actions', 'action', action),
  ...crudRoutes('sessions', 'session', session),
  {
    ...scoped,
    id: 'sessions.transcript',
    method: 'GET',
    path: '/v1/sessions/{session_id}/transcript',
    summary: 'Read what was said, page by page, oldest first',
    params: sessionParams,
    query: listQuery('turn'),
    answers: { 200: transcript },
    errors: ['publicapi.session.not_found'],
  },
] as const satisfies readonly Route[]

export type RouteId = (typeof routes)[number]['id']
type RouteOf<Id extends RouteId> = Extract<(typeof routes)[number], { id: Id }>

type Parsed<Value, Key extends string> = Value extends { readonly [K in Key]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined

/** What a handler gets, parsed. */
export type ParamsOf<Id extends RouteId> = Parsed<RouteOf<Id>, 'params'>
export type QueryOf<Id extends RouteId> = Parsed<RouteOf<Id>, 'query'>
export type RequestOf<Id extends RouteId> = Parsed<RouteOf<Id>, 'request'>
