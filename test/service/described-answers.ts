import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parse } from 'yaml'
import { isKnownCode } from '../../src/contract/errors.ts'
import { routes } from '../../src/contract/routes/routes.ts'
import { describeInterface } from '../../src/service/api/openapi.ts'
import { describeProfile } from '../../src/service/api/openapi-profile.ts'
import type { ProfileName, ServiceOptions } from '../../src/service/options.ts'
import { profileOf } from '../../src/service/options.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is what is tested
type Document = any

type AnswerSeen = Parameters<NonNullable<ServiceOptions['onAnswer']>>[0]

/** Lists the differences between an answer and the description; empty where there are none. */
export type AnswerCheck = (answer: AnswerSeen) => string[]

/**
 * Makes a check of answers from a description of the interface, as OpenAPI 3.1 or its YAML. It
 * compiles each schema once, when it is needed.
 */
export function answerCheck(description: string | Document): AnswerCheck {
  const document: Document = typeof description === 'string' ? parse(description) : description
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'description')
  const paths = Object.keys(document.paths).map(
    (path) =>
      [new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`), path] as const,
  )

  return (answer) => {
    const { method, url, status, type, body } = answer
    if (method === 'OPTIONS') return []
    const path = paths.find(([pattern]) => pattern.test(url.split('?')[0]!))?.[1]
    const operation = path === undefined ? undefined : document.paths[path][method.toLowerCase()]
    if (operation === undefined) return ofNoCall(ajv, answer)
    const described = operation.responses[status]
    if (described === undefined)
      return [`${method} ${path} answered ${status}, which is not described`]
    const [at, response] = described.$ref
      ? [described.$ref as string, document.components.responses[described.$ref.split('/').at(-1)]]
      : [`#/paths/${pointer(path!)}/${method.toLowerCase()}/responses/${status}`, described]
    const where = `${method} ${path} ${status}`
    if (response.content === undefined)
      return body ? [`${where}: a body where none is described`] : []
    const media_type = type.split(';')[0]!.trim()
    if (response.content[media_type] === undefined)
      return [`${where}: ${media_type} is not described`]
    const validate = ajv.getSchema(`description${at}/content/${pointer(media_type)}/schema`)!
    return faultsOf(validate, media_type === 'application/json' ? JSON.parse(body) : body).map(
      (fault) => `${where}: ${fault}`,
    )
  }
}

/** A call outside the interface must still get a valid error. */
function ofNoCall(ajv: Ajv2020, { method, url, status, body }: AnswerSeen): string[] {
  const where = `${method} ${url} ${status}`
  if (status < 400) return [`${where}: a success of a call that is not described`]
  if (method === 'HEAD') return []
  const error = JSON.parse(body)
  const faults = faultsOf(ajv.getSchema('description#/components/schemas/Error')!, error)
  if (!isKnownCode(error.code)) faults.push(`code ${error.code} is not known`)
  if (error.statusCode !== status) faults.push(`statusCode is ${error.statusCode}`)
  return faults.map((fault) => `${where}: ${fault}`)
}

function faultsOf(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || 'the whole'} ${message} ${JSON.stringify(params)}`,
  )
}

/** A key as part of a JSON pointer in a URL's fragment. */
function pointer(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
}

/**
 * A description that is open to further fields and values, without them. What this service answers
 * beyond its own description is a fault, such as a field of its database.
 */
function closed(description: Document): Document {
  const document = structuredClone(description)
  const visit = (schema: Document): void => {
    if (typeof schema !== 'object' || schema === null) return
    if (schema.type === 'object' && schema.properties) schema.additionalProperties ??= false
    if (schema['x-extensible-enum']) schema.enum = schema['x-extensible-enum']
    for (const inner of Object.values(schema)) visit(inner)
  }
  visit(document)
  return document
}

const own: Partial<Record<ProfileName, AnswerCheck>> = {}

/** Checks against the description that the local service gives of itself under this profile. */
export function checkAnswerOf(profile: ProfileName): AnswerCheck {
  own[profile] ??= answerCheck(
    closed(describeProfile(describeInterface(routes, 'http://127.0.0.1'), profileOf(profile))),
  )
  return own[profile]
}

export const checkOwnAnswer: AnswerCheck = (answer) => checkAnswerOf('default')(answer)

const unlike_described: string[] = []

/**
 * For a service under a daemon: checks every answer as it is sent, and keeps the faults for
 * `takeAnswerFaults`.
 */
export function answersChecked(profile: ProfileName): Pick<ServiceOptions, 'onAnswer'> {
  return { onAnswer: (answer) => void unlike_described.push(...checkAnswerOf(profile)(answer)) }
}

/** Returns the faults since the last call. */
export function takeAnswerFaults(): string[] {
  return unlike_described.splice(0)
}
