import { z } from 'zod'
import { listQuery, noBody } from '../envelope.ts'
import { actionCreate, actionList, actionRecord, actionUpdate } from '../messages/messages-actions.ts'
import {
  assetCreate,
  assetExists,
  assetList,
  assetRecord,
  assetSlot,
  assetUpdate,
  labelAttach,
  labelCreate,
  labelList,
  labelRecord,
  labelReference,
  labelUpdate,
} from '../messages/messages-assets.ts'
import {
  chatAppend,
  chatList,
  chatRecord,
  chatStart,
  chatStarted,
  chatUpdate,
  messageAppended,
  messageList,
  messageRecord,
} from '../messages/messages-chats.ts'
import {
  invitationCreate,
  invitationRecord,
  memberList,
  projectCreate,
  projectList,
  projectRecord,
  projectUpdate,
} from '../messages/messages-projects.ts'
import {
  memoryCreate,
  memoryList,
  memoryRecord,
  memoryUpdate,
  sessionCreate,
  sessionList,
  sessionRecord,
  sessionUpdate,
  skillCreate,
  skillList,
  skillRecord,
  skillUpdate,
  transcript,
} from '../messages/messages-resources.ts'
import { crudRoutes, keyed, open, type ParamsIn, type Route, scoped, switchRoutes } from './route.ts'

const skill = { create: skillCreate, update: skillUpdate, record: skillRecord, list: skillList }
const memory = { create: memoryCreate, update: memoryUpdate, record: memoryRecord, list: memoryList }
const action = { create: actionCreate, update: actionUpdate, record: actionRecord, list: actionList }
const session = { create: sessionCreate, update: sessionUpdate, record: sessionRecord, list: sessionList }

const no_content = { answers: { 204: null } }
const role_needed = ['publicapi.tenancy.role.insufficient'] as const
const turn_faults = [
  'publicapi.chat.scope.unreachable',
  'publicapi.chat.skill.unknown',
  'publicapi.chat.skill.disabled',
] as const

/** All calls of the interface; there are no others. */
export const routes = [
  open('description.read', 'GET /v1/openapi.yaml', 'This description', {
    answers: { 200: z.string() },
    media_type: 'application/yaml',
  }),

  keyed('projects.list', 'GET /v1/projects', 'List all projects within reach of the key, newest first, on one page', {
    query: listQuery('project'),
    answers: { 200: projectList },
  }),
  keyed('projects.create', 'POST /v1/projects', 'Make a project; the one who makes it owns it', {
    request: projectCreate,
    answers: { 201: projectRecord },
  }),
  keyed('projects.update', 'POST /v1/projects/{project_id}', 'Replace the name and the description of a project', {
    request: projectUpdate,
    answers: { 200: projectRecord },
    errors: role_needed,
  }),
  keyed('projects.members', 'GET /v1/projects/{project_id}/members', 'List the members of a project, oldest first', {
    query: listQuery('user'),
    answers: { 200: memberList },
  }),
  keyed(
    'projects.invite',
    'POST /v1/projects/{project_id}/invitations',
    'Invite somebody; invited already: the same invitation, with the role of now and a new url',
    {
      request: invitationCreate,
      answers: { 201: invitationRecord },
      errors: [...role_needed, 'publicapi.tenancy.role.last_owner'],
    },
  ),
  keyed(
    'projects.uninvite',
    'DELETE /v1/projects/{project_id}/invitations/{invitation_id}',
    'Take an invitation back',
    { ...no_content, errors: role_needed },
  ),

  scoped(
    'assets.create',
    'POST /v1/assets',
    'Ask for a slot to upload a file into, or learn that the project holds its content already',
    {
      request: assetCreate,
      answers: { 200: assetExists, 201: assetSlot },
      field_codes: { md5: 'publicapi.asset.create.md5_malformed' },
    },
  ),
  scoped('assets.list', 'GET /v1/assets', 'List assets, newest first', {
    query: listQuery('asset'),
    answers: { 200: assetList },
  }),
  scoped('assets.read', 'GET /v1/assets/{asset_id}', 'Read an asset', { answers: { 200: assetRecord } }),
  scoped('assets.update', 'POST /v1/assets/{asset_id}', 'Change the name or the description of a ready asset', {
    request: assetUpdate,
    answers: { 200: assetRecord },
    errors: ['publicapi.asset.update.not_ready'],
  }),
  scoped(
    'assets.delete',
    'DELETE /v1/assets/{asset_id}',
    'Delete an asset; its content can be uploaded again',
    no_content,
  ),
  scoped(
    'assets.complete',
    'POST /v1/assets/{asset_id}/complete',
    'Hand over the uploaded bytes; repeated, it answers the current record',
    {
      request: noBody,
      answers: { 200: assetRecord },
      errors: ['publicapi.asset.complete.bytes_missing', 'publicapi.asset.complete.md5_differs'],
    },
  ),
  scoped(
    'assets.attach_label',
    'POST /v1/assets/{asset_id}/labels',
    'Attach a label by name; it is made when new. Attached already: the same answer',
    { request: labelAttach, answers: { 201: labelReference } },
  ),
  scoped(
    'assets.detach_label',
    'DELETE /v1/assets/{asset_id}/labels/{label_id}',
    'Detach a label; not attached: nothing happens',
    { ...no_content, may_be_gone: 'label_id' },
  ),

  scoped('labels.list', 'GET /v1/labels', 'List all labels, by name, on one page', {
    query: listQuery('label'),
    answers: { 200: labelList },
  }),
  scoped('labels.create', 'POST /v1/labels', 'Make a label; a name that exists answers the label that has it', {
    request: labelCreate,
    answers: { 201: labelRecord },
  }),
  scoped('labels.read', 'GET /v1/labels/{label_id}', 'Read a label', { answers: { 200: labelRecord } }),
  scoped('labels.update', 'POST /v1/labels/{label_id}', 'Change a label', {
    request: labelUpdate,
    answers: { 200: labelRecord },
    errors: ['publicapi.label.name_taken'],
  }),
  scoped('labels.delete', 'DELETE /v1/labels/{label_id}', 'Delete a label and detach it everywhere', no_content),

  scoped('chats.start', 'POST /v1/chats', 'Start a chat; answered at once, the answer is written later', {
    request: chatStart,
    answers: { 202: chatStarted },
    errors: turn_faults,
  }),
  scoped('chats.list', 'GET /v1/chats', 'List chats, newest first', {
    query: listQuery('chat'),
    answers: { 200: chatList },
  }),
  scoped('chats.read', 'GET /v1/chats/{chat_id}', 'Read what a chat is, without its messages', {
    answers: { 200: chatRecord },
  }),
  scoped('chats.update', 'POST /v1/chats/{chat_id}', 'Change the title of a chat', {
    request: chatUpdate,
    answers: { 200: chatRecord },
  }),
  scoped('chats.delete', 'DELETE /v1/chats/{chat_id}', 'Delete a chat and its messages', no_content),
  scoped(
    'messages.append',
    'POST /v1/chats/{chat_id}/messages',
    'Ask again in the same chat; answered at once, the answer is written later',
    { request: chatAppend, answers: { 202: messageAppended }, errors: turn_faults },
  ),
  scoped(
    'messages.list',
    'GET /v1/chats/{chat_id}/messages',
    'List the messages of a chat, oldest first, all of them',
    {
      answers: { 200: messageList },
    },
  ),
  scoped(
    'messages.read',
    'GET /v1/chats/{chat_id}/messages/{message_id}',
    'Read a message: its prompt and its answer, once written',
    { answers: { 200: messageRecord } },
  ),
  scoped('messages.delete', 'DELETE /v1/chats/{chat_id}/messages/{message_id}', 'Delete a message', no_content),

  ...crudRoutes('skills', 'skill', skill, ['publicapi.skill.name_taken']),
  ...switchRoutes('skills', 'skill', skillRecord),
  ...crudRoutes('memories', 'memory', memory),
  ...crudRoutes('actions', 'action', action, ['publicapi.action.timing']),
  ...switchRoutes('actions', 'action', actionRecord),
  ...crudRoutes('sessions', 'session', session),
  scoped(
    'sessions.transcript',
    'GET /v1/sessions/{session_id}/transcript',
    'Read what was said, page by page, oldest first',
    { query: listQuery('turn'), answers: { 200: transcript } },
  ),
] as const satisfies readonly Route[]

export type RouteId = (typeof routes)[number]['id']
type RouteOf<Id extends RouteId> = Extract<(typeof routes)[number], { id: Id }>

type Parsed<Value, Key extends string> = Value extends { readonly [K in Key]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined

/** The parsed input of a handler: path parameters, query and body. */
export type ParamsOf<Id extends RouteId> = { [Name in ParamsIn<RouteOf<Id>['path']>]: string }
export type QueryOf<Id extends RouteId> = Parsed<RouteOf<Id>, 'query'>
export type RequestOf<Id extends RouteId> = Parsed<RouteOf<Id>, 'request'>

/** The result of a handler, by the schemas of its successful answers. */
export type AnswerOf<Id extends RouteId> = Answered<RouteOf<Id>['answers']>
type Answered<Answers> = {
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a body returns nothing
  [Status in keyof Answers]: Answers[Status] extends z.ZodType ? z.output<Answers[Status]> : void
}[keyof Answers]
