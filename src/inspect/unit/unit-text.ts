import { SluiceError } from '../../base/run/errors.ts'
import { printable } from '../../base/text/format.ts'

/** PATH_MAX without its final NUL; systemd drops longer paths with a warning. */
const max_path_bytes = 4_095

/**
 * Writes a path as one word of a setting that systemd splits at white space (ReadWritePaths=,
 * RequiresMountsFor=). A backslash there takes the next character literally, so only quotes,
 * backslashes and `%` are escaped (systemd.syntax(7), systemd.unit(5)). Errors: `unit.path` for
 * paths that no unit file can hold.
 */
export function unitWord(path: string, prefix = ''): string {
  refuseUnwritable(path)
  const text = (prefix + path).replaceAll('%', '%%')
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `"${text.replace(/[\\"]/g, '\\$&')}"`
}

/**
 * The same for arguments of ExecStart=, where `$` begins a variable. Its C escapes treat quotes and
 * backslashes alike.
 */
export function commandWord(path: string): string {
  return unitWord(path.replaceAll('$', '$$$$'))
}

/** A path for LoadCredential=, which systemd reads literally up to the end of the line. */
export function rawPath(path: string): string {
  refuseUnwritable(path)
  if (/^\s|\s$|\\$/.test(path))
    throw unwritable(path, 'begins or ends in white space, or ends in a backslash')
  return path.replaceAll('%', '%%')
}

/** The unit name of a mount point, as `systemd-escape --path --suffix=mount` gives it. */
export function mountUnit(mount_point: string): string {
  const parts = mount_point.split('/').filter((part) => part !== '')
  if (parts.length === 0) return '-.mount'
  const bytes = [...Buffer.from(parts.join('/'))]
  const escaped = bytes.map((byte, at) => {
    const character = String.fromCharCode(byte)
    if (character === '/') return '-'
    const is_plain = /[A-Za-z0-9:_.]/.test(character) && !(at === 0 && character === '.')
    return is_plain ? character : `\\x${byte.toString(16).padStart(2, '0')}`
  })
  return `${escaped.join('')}.mount`
}

/**
 * Setting -> its words, as systemd splits them at ASCII white space. An empty assignment clears the
 * earlier words. Only the specifier %% is replaced.
 */
export function readUnitText(text: string): Map<string, string[]> {
  const settings = new Map<string, string[]>()
  for (const line of text.replaceAll(/\\\n/g, ' ').split('\n')) {
    const [, name, value] = /^[ \t]*([A-Za-z]+)[ \t]*=[ \t]*(.*?)[ \t\r]*$/s.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    settings.set(name, value === '' ? [] : [...(settings.get(name) ?? []), ...wordsOf(value)])
  }
  return settings
}

function wordsOf(value: string): string[] {
  const words: string[] = []
  const pattern =
    /(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|((?:\\.|[^ \t\r\\])+))(?=[ \t\r]|$)/gsu
  for (const [, double, single, plain] of value.matchAll(pattern)) {
    words.push((double ?? single ?? plain ?? '').replace(/\\(.)/gsu, '$1').replaceAll('%%', '%'))
  }
  return words
}

function refuseUnwritable(path: string): void {
  if (/[\n\r\0]/.test(path)) throw unwritable(path, 'holds a line break')
  if (/\p{Cs}/u.test(path)) throw unwritable(path, 'is not UTF-8')
  if (Buffer.byteLength(path) > max_path_bytes)
    throw unwritable(path, `is longer than ${max_path_bytes} bytes`)
}

function unwritable(path: string, why: string): SluiceError {
  return new SluiceError({
    code: 'unit.path',
    message: `${printable(path)} ${why}: no unit file of systemd can name it`,
    hint: 'give it another name, or reach it through a symbolic link with a plain one',
  })
}
