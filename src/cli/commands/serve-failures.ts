import { SluiceError } from '../../base/run/errors.ts'
import { routes } from '../../contract/routes/routes.ts'
import type { Failure } from '../../service/faults/fault-injection.ts'

const example = '--fail put=503:every=10,assets.create=429:times=3:retry=2,all=drop:every=50'

/**
 * Reads a list of failures with commas between. Each is `PLACE=WHAT`, then optional parts after
 * colons, as in `example`: `every=N`, `times=N`, `retry=SECONDS`. Error `usage.invalid`.
 */
export function parseFailures(text: string): Failure[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseFailure)
}

function parseFailure(part: string): Failure {
  const [head = '', ...rules] = part.split(':')
  const [place = '', what = ''] = head.split('=')
  return {
    ...placeOf(place, part),
    ...whatOf(what, part),
    ...Object.assign({}, ...rules.map((rule) => ruleOf(rule, part))),
  }
}

function placeOf(place: string, part: string): Pick<Failure, 'route'> {
  if (place === 'all') return {}
  if (place === 'put') return { route: 'put' }
  const route = routes.find(({ id }) => id === place)
  if (route) return { route: route.id }
  throw wrong(part, `there is no call ${place}; the calls are all, put, ${routes.map(({ id }) => id).join(', ')}`)
}

function whatOf(what: string, part: string): Pick<Failure, 'status' | 'drop_connection'> {
  if (what === 'drop') return { status: 0, drop_connection: true }
  if (/^[45]\d\d$/.test(what)) return { status: Number(what) }
  throw wrong(part, `what happens is a status from 400 to 599, or drop`)
}

function ruleOf(rule: string, part: string): Partial<Failure> {
  const [name = '', value = ''] = rule.split('=')
  if (!/^[1-9]\d{0,8}$/.test(value)) throw wrong(part, `${name} takes a whole number from 1 on`)
  if (name === 'every') return { every: Number(value) }
  if (name === 'times') return { times: Number(value) }
  if (name === 'retry') return { retry_after_s: Number(value) }
  throw wrong(part, `a rule is every, times or retry, not ${name}`)
}

function wrong(part: string, why: string): SluiceError {
  return new SluiceError({ code: 'usage.invalid', message: `--fail ${part}: ${why}`, hint: `for example ${example}` })
}
