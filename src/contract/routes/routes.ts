import { z } from 'zod'
import { listQuery, noBody } from '../envelope.ts'
import * as actions from '../messages/messages-actions.ts'
import * as assets from '../messages/messages-assets.ts'
import * as chats from '../messages/messages-chats.ts'
import * as projects from '../messages/messages-projects.ts'
import * as resources from '../messages/messages-resources.ts'
import {
  crudRoutes,
  keyed,
  open,
  type ParamsIn,
  type Route,
  scoped,
  switchRoutes,
} from './route.ts'

const no_content = { answers: { 204: null } }
const role_needed = ['publicapi.tenancy.role.insufficient'] as const
const skill_faults = ['publicapi.skill.built_in'] as const
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

  keyed(
    'projects.list',
    'GET /v1/projects',
    'List all projects within reach of the key, newest first, on one page',
    {
      query: listQuery('project'),
      answers: { 200: projects.projectList },
    },
  ),
  keyed('projects.create', 'POST /v1/projects', 'Make a project; the one who makes it owns it', {
    request: projects.projectCreate,
    answers: { 201: projects.projectRecord },
    errors: ['publicapi.project.create.limited_key'],
  }),
  keyed(
    'projects.update',
    'POST /v1/projects/{project_id}',
    'Replace the name and the description of a project',
    {
      request: projects.projectUpdate,
      answers: { 200: projects.projectRecord },
      errors: role_needed,
    },
  ),
  keyed(
    'projects.members',
    'GET /v1/projects/{project_id}/members',
    'List the members of a project, oldest first',
    {
      query: listQuery('user'),
      answers: { 200: projects.memberList },
    },
  ),
  keyed(
    'projects.invite',
    'POST /v1/projects/{project_id}/invitations',
    'Invite somebody; invited already: the same invitation, with the role of now and a new url',
    {
      request: projects.invitationCreate,
      answers: { 201: projects.invitationRecord },
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
      request: assets.assetCreate,
      answers: { 200: assets.assetExists, 201: assets.assetSlot },
      field_codes: { md5: 'publicapi.asset.create.md5_malformed' },
    },
  ),
  scoped('assets.list', 'GET /v1/assets', 'List assets, newest first', {
    query: listQuery('asset'),
    answers: { 200: assets.assetList },
  }),
  scoped('assets.read', 'GET /v1/assets/{asset_id}', 'Read an asset', {
    answers: { 200: assets.assetRecord },
  }),
  scoped(
    'assets.update',
    'POST /v1/assets/{asset_id}',
    'Change the name or the description of a ready asset',
    {
      request: assets.assetUpdate,
      answers: { 200: assets.assetRecord },
      errors: ['publicapi.asset.update.not_ready'],
    },
  ),
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
      answers: { 200: assets.assetRecord },
      errors: ['publicapi.asset.complete.bytes_missing', 'publicapi.asset.complete.md5_differs'],
    },
  ),
  scoped(
    'assets.attach_label',
    'POST /v1/assets/{asset_id}/labels',
    'Attach a label by name; it is made when new. Attached already: the same answer',
    { request: assets.labelAttach, answers: { 201: assets.labelReference } },
  ),
  scoped(
    'assets.detach_label',
    'DELETE /v1/assets/{asset_id}/labels/{label_id}',
    'Detach a label; not attached: nothing happens',
    { ...no_content, may_be_gone: 'label_id' },
  ),

  scoped('labels.list', 'GET /v1/labels', 'List all labels, by name, on one page', {
    query: listQuery('label'),
    answers: { 200: assets.labelList },
  }),
  scoped(
    'labels.create',
    'POST /v1/labels',
    'Make a label; a name that exists answers the label that has it',
    {
      request: assets.labelCreate,
      answers: { 201: assets.labelRecord },
    },
  ),
  scoped('labels.read', 'GET /v1/labels/{label_id}', 'Read a label', {
    answers: { 200: assets.labelRecord },
  }),
  scoped('labels.update', 'POST /v1/labels/{label_id}', 'Change a label', {
    request: assets.labelUpdate,
    answers: { 200: assets.labelRecord },
    errors: ['publicapi.label.name_taken'],
  }),
  scoped(
    'labels.delete',
    'DELETE /v1/labels/{label_id}',
    'Delete a label and detach it everywhere',
    no_content,
  ),

  scoped(
    'chats.start',
    'POST /v1/chats',
    'Start a chat; answered at once, the answer is written later',
    {
      request: chats.chatStart,
      answers: { 202: chats.chatStarted },
      errors: turn_faults,
    },
  ),
  scoped('chats.list', 'GET /v1/chats', 'List chats, newest first', {
    query: listQuery('chat'),
    answers: { 200: chats.chatList },
  }),
  scoped('chats.read', 'GET /v1/chats/{chat_id}', 'Read what a chat is, without its messages', {
    answers: { 200: chats.chatRecord },
  }),
  scoped('chats.update', 'POST /v1/chats/{chat_id}', 'Change the title of a chat', {
    request: chats.chatUpdate,
    answers: { 200: chats.chatRecord },
  }),
  scoped(
    'chats.delete',
    'DELETE /v1/chats/{chat_id}',
    'Delete a chat and its messages',
    no_content,
  ),
  scoped(
    'messages.append',
    'POST /v1/chats/{chat_id}/messages',
    'Ask again in the same chat; answered at once, the answer is written later',
    { request: chats.chatAppend, answers: { 202: chats.messageAppended }, errors: turn_faults },
  ),
  scoped(
    'messages.list',
    'GET /v1/chats/{chat_id}/messages',
    'List the messages of a chat, oldest first, all of them',
    {
      answers: { 200: chats.messageList },
    },
  ),
  scoped(
    'messages.read',
    'GET /v1/chats/{chat_id}/messages/{message_id}',
    'Read a message: its prompt and its answer, once written',
    { answers: { 200: chats.messageRecord } },
  ),
  scoped(
    'messages.delete',
    'DELETE /v1/chats/{chat_id}/messages/{message_id}',
    'Delete a message',
    no_content,
  ),

  ...crudRoutes('skills', 'skill', resources.skill, {
    write: ['publicapi.skill.name_taken'],
    change: skill_faults,
  }),
  ...switchRoutes('skills', 'skill', resources.skill.record, skill_faults),
  ...crudRoutes('memories', 'memory', resources.memory),
  ...crudRoutes('actions', 'action', actions.action, { write: ['publicapi.action.timing'] }),
  ...switchRoutes('actions', 'action', actions.action.record),
  ...crudRoutes('sessions', 'session', resources.session),
  scoped(
    'sessions.transcript',
    'GET /v1/sessions/{session_id}/transcript',
    'Read what was said, page by page, oldest first',
    { query: listQuery('turn'), answers: { 200: resources.transcript } },
  ),
] as const satisfies readonly Route[]

export type RouteId = (typeof routes)[number]['id']
type RouteOf<Id extends RouteId> = Extract<(typeof routes)[number], { id: Id }>

type Parsed<Value, Key extends string> = Value extends {
  readonly [K in Key]: infer Schema extends z.ZodType
}
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
