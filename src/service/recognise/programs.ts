import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { messageOf, SluiceError } from '../../base/run/errors.ts'
import { second_ms } from '../../base/time/time.ts'
import type { IngestSettings } from '../options.ts'
import type { ProgramState } from '../reading/judge-programs.ts'
import type { ProgramWork } from '../store/picture-pages.ts'
import { languagesIn } from './program-output.ts'

/** Programs with the Debian packages that have them. */
const tesseract = ['tesseract', 'tesseract-ocr'] as const
const pdftoppm = ['pdftoppm', 'poppler-utils'] as const

const needed: Readonly<Record<ProgramWork, readonly (readonly [string, string])[]>> = {
  pdf: [tesseract, pdftoppm],
  picture: [tesseract],
  xls: [['soffice', 'libreoffice-calc-nogui']],
  ppt: [['soffice', 'libreoffice-impress-nogui']],
}

/** Each language adds its time to every page. */
const max_languages = 4
/** A program that does not answer within this time has no answer. */
const max_answer_ms = 10 * second_ms

export type Programs = ReturnType<typeof findPrograms>

/** Finds the programs that read scans, pictures and old office files. */
export function findPrograms({
  recognition,
  program_path,
}: Pick<IngestSettings, 'recognition' | 'program_path'>) {
  const directories = program_path.split(':').filter(isAbsolute)
  const is_off = recognition === 'off' || directories.length === 0
  const places = new Map<string, string>()
  for (const [name] of Object.values(needed).flat()) {
    const place = directories.map((directory) => join(directory, name)).find(isProgram)
    if (place !== undefined) places.set(name, place)
  }
  let languages: readonly string[] = []

  function stateOf(work: ProgramWork): ProgramState {
    if (is_off) return 'off'
    const lacking = needed[work].filter(([name]) => !places.has(name))
    if (lacking.length === 0) return 'installed'
    return { missing: lacking.map(([, package_name]) => package_name).join(' and ') }
  }

  async function ask(argument: string): Promise<string> {
    const options = { timeout: max_answer_ms, env: { PATH: program_path } }
    return (await promisify(execFile)(places.get('tesseract')!, [argument], options)).stdout
  }

  /** Languages that tesseract uses. Error `service.program` if it has no data for a language. */
  async function languagesOf(): Promise<readonly string[]> {
    if (languages.length > 0) return languages
    const known = languagesIn(await ask('--list-langs'))
    const wanted =
      recognition === 'installed' ? known.slice(0, max_languages) : recognition.split('+')
    const lacking = wanted.length === 0 ? 'eng' : wanted.find((name) => !known.includes(name))
    if (lacking !== undefined) {
      const message = `tesseract has no data for the language ${lacking}: install tesseract-ocr-${lacking.replaceAll('_', '-')}`
      throw new SluiceError({ code: 'service.program', message })
    }
    languages = wanted
    return languages
  }

  function textOf(what: string, work: ProgramWork, how: string): string {
    const state = stateOf(work)
    if (typeof state === 'object') return `does not read ${what}: install ${state.missing}`
    return `${state === 'installed' ? 'reads' : 'does not read'} ${what}: ${how}`
  }

  return {
    stateOf,
    languagesOf,
    /** Kinds of files that programs of this machine read. */
    installed: (Object.keys(needed) as ProgramWork[]).filter(
      (work) => stateOf(work) === 'installed',
    ),
    placeOf: (name: string) => places.get(name) ?? name,
    /** Says in one line for users which programs are there. */
    async describe(): Promise<string> {
      if (is_off) return textOf('scans and pictures', 'pdf', 'switched off')
      let how = ''
      try {
        const read = (await languagesOf()).join(', ')
        const version = /^tesseract v?\S+/.exec(await ask('--version'))?.[0] ?? 'tesseract'
        how = `${version} with ${read}; pdftoppm`
      } catch (error) {
        how = messageOf(error)
      }
      const office = (['xls', 'ppt'] as const).map((kind) => textOf(`.${kind}`, kind, 'soffice'))
      return [textOf('scans', 'pdf', how), ...office].join('; ')
    },
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
