import { z } from 'zod'
import { listQuery } from './envelope.ts'
import {
  assetComplete,
  assetCreate,
  assetExists,
  assetLabelParams,
  assetList,
  assetParams,
  assetRecord,
  assetSlot,
  assetUpdate,
} from './messages-assets.ts'
import {
  chatAppend,
  chatList,
  chatParams,
  chatRecord,
  chatStart,
  chatStarted,
  chatUpdate,
  messageAppended,
  messageList,
  messageParams,
  messageRecord,
} from './messages-chats.ts'
import {
  labelAttach,
  labelCreate,
  labelList,
  labelParams,
  labelRecord,
  labelReference,
  labelUpdate,
} from './messages-labels.ts'
import { projectList } from './messages-projects.ts'
import type { Route } from './route.ts'

const open = { auth: false, scoped: false } as const
const keyed = { auth: true, scoped: false } as const
const scoped = { auth: true, scoped: true } as const

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
  {
    ...keyed,
    id: 'projects.list',
    method: 'GET',
    path: '/v1/projects',
    summary: 'List the projects within reach of the key',
    query: listQuery('project'),
    answers: { 200: projectList },
  },
  {
    ...scoped,
    id: 'assets.create',
    method: 'POST',
    path: '/v1/assets',
    summary: 'Ask for a slot to upload a file into, or learn that the project holds its content already',
    request: assetCreate,
    answers: { 200: assetExists, 201: assetSlot },
    field_codes: { md5: 'publicapi.asset.create.md5_malformed' },
  },
  {
    ...scoped,
    id: 'assets.list',
    method: 'GET',
    path: '/v1/assets',
    summary: 'List assets, newest first',
    query: listQuery('asset'),
    answers: { 200: assetList },
  },
  {
    ...scoped,
    id: 'assets.read',
    method: 'GET',
    path: '/v1/assets/{asset_id}',
    summary: 'Read an asset',
    params: assetParams,
    answers: { 200: assetRecord },
  },
  {
    ...scoped,
    id: 'assets.update',
    method: 'POST',
    path: '/v1/assets/{asset_id}',
    summary: 'Change the name or the description of a ready asset',
    params: assetParams,
    request: assetUpdate,
    answers: { 200: assetRecord },
  },
  {
    ...scoped,
    id: 'assets.delete',
    method: 'DELETE',
    path: '/v1/assets/{asset_id}',
    summary: 'Delete an asset; its content can be uploaded again',
    params: assetParams,
    answers: { 204: null },
  },
  {
    ...scoped,
    id: 'assets.complete',
    method: 'POST',
    path: '/v1/assets/{asset_id}/complete',
    summary: 'Hand over the uploaded bytes; repeated, it answers the current record',
    params: assetParams,
    request: assetComplete,
    answers: { 200: assetRecord },
  },
  {
    ...scoped,
    id: 'assets.attach_label',
    method: 'POST',
    path: '/v1/assets/{asset_id}/labels',
    summary: 'Attach a label by name; it is made when new. Attached already: the same answer',
    params: assetParams,
    request: labelAttach,
    answers: { 201: labelReference },
  },
  {
    ...scoped,
    id: 'assets.detach_label',
    method: 'DELETE',
    path: '/v1/assets/{asset_id}/labels/{label_id}',
    summary: 'Detach a label; not attached: nothing happens',
    params: assetLabelParams,
    answers: { 204: null },
  },
  {
    ...scoped,
    id: 'labels.list',
    method: 'GET',
    path: '/v1/labels',
    summary: 'List all labels, by name, on one page',
    query: listQuery('label'),
    answers: { 200: labelList },
  },
  {
    ...scoped,
    id: 'labels.create',
    method: 'POST',
    path: '/v1/labels',
    summary: 'Make a label; a name that exists answers the label that has it',
    request: labelCreate,
    answers: { 201: labelRecord },
  },
  {
    ...scoped,
    id: 'labels.read',
    method: 'GET',
    path: '/v1/labels/{label_id}',
    summary: 'Read a label',
    params: labelParams,
    answers: { 200: labelRecord },
  },
  {
    ...scoped,
    id: 'labels.update',
    method: 'POST',
    path: '/v1/labels/{label_id}',
    summary: 'Change a label',
    params: labelParams,
    request: labelUpdate,
    answers: { 200: labelRecord },
  },
  {
    ...scoped,
    id: 'labels.delete',
    method: 'DELETE',
    path: '/v1/labels/{label_id}',
    summary: 'Delete a label and detach it everywhere',
    params: labelParams,
    answers: { 204: null },
  },
  {
    ...scoped,
    id: 'chats.start',
    method: 'POST',
    path: '/v1/chats',
    summary: 'Start a chat; answered at once, the answer is written later',
    request: chatStart,
    answers: { 202: chatStarted },
  },
  {
    ...scoped,
    id: 'chats.list',
    method: 'GET',
    path: '/v1/chats',
    summary: 'List chats, newest first',
    query: listQuery('chat'),
    answers: { 200: chatList },
  },
  {
    ...scoped,
    id: 'chats.read',
    method: 'GET',
    path: '/v1/chats/{chat_id}',
    summary: 'Read what a chat is, without its messages',
    params: chatParams,
    answers: { 200: chatRecord },
  },
  {
    ...scoped,
    id: 'chats.update',
    method: 'POST',
    path: '/v1/chats/{chat_id}',
    summary: 'Change the title of a chat',
    params: chatParams,
    request: chatUpdate,
    answers: { 200: chatRecord },
  },
  {
    ...scoped,
    id: 'chats.delete',
    method: 'DELETE',
    path: '/v1/chats/{chat_id}',
    summary: 'Delete a chat and its messages',
    params: chatParams,
    answers: { 204: null },
  },
  {
    ...scoped,
    id: 'messages.append',
    method: 'POST',
    path: '/v1/chats/{chat_id}/messages',
    summary: 'Ask again in the same chat; answered at once, the answer is written later',
    params: chatParams,
    request: chatAppend,
    answers: { 202: messageAppended },
  },
  {
    ...scoped,
    id: 'messages.list',
    method: 'GET',
    path: '/v1/chats/{chat_id}/messages',
    summary: 'List the messages of a chat, oldest first, all of them',
    params: chatParams,
    answers: { 200: messageList },
  },
  {
    ...scoped,
    id: 'messages.read',
    method: 'GET',
    path: '/v1/chats/{chat_id}/messages/{message_id}',
    summary: 'Read a message: its prompt and its answer, once written',
    params: messageParams,
    answers: { 200: messageRecord },
  },
  {
    ...scoped,
    id: 'messages.delete',
    method: 'DELETE',
    path: '/v1/chats/{chat_id}/messages/{message_id}',
    summary: 'Delete a message',
    params: messageParams,
    answers: { 204: null },
  },
] as const satisfies readonly Route[]

export type RouteId = (typeof routes)[number]['id']
export type RouteOf<Id extends RouteId> = Extract<(typeof routes)[number], { id: Id }>

type Parsed<Value, Key extends string> = Value extends { readonly [K in Key]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined

/** What a handler gets, parsed. */
export type ParamsOf<Id extends RouteId> = Parsed<RouteOf<Id>, 'params'>
export type QueryOf<Id extends RouteId> = Parsed<RouteOf<Id>, 'query'>
export type RequestOf<Id extends RouteId> = Parsed<RouteOf<Id>, 'request'>

export function routeById<Id extends RouteId>(id: Id): RouteOf<Id> {
  return routes.find((route) => route.id === id) as RouteOf<Id>
}
