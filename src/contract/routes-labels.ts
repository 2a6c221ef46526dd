import { listQuery } from './envelope.ts'
import { labelCreate, labelList, labelParams, labelRecord, labelUpdate } from './messages-labels.ts'
import { type Route, scoped } from './route.ts'

export const label_routes = [
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
    errors: ['publicapi.label.not_found'],
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
    errors: ['publicapi.label.not_found', 'publicapi.label.name_taken'],
  },
  {
    ...scoped,
    id: 'labels.delete',
    method: 'DELETE',
    path: '/v1/labels/{label_id}',
    summary: 'Delete a label and detach it everywhere',
    params: labelParams,
    answers: { 204: null },
    errors: ['publicapi.label.not_found'],
  },
] as const satisfies readonly Route[]
