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

const works = Object.keys(needed) as ProgramWork[]

/** Each language adds its time to every page. */
const max_languages = 4
/** A program that does not answer within this time has no answer. */
const max_answer_ms = 10 * second_ms

/** The programs of this machine that read scans, pictures and old office files. */
export class Programs {
  readonly #recognition: string
  readonly #path: string
  readonly #is_off: boolean
  readonly #places = new Map<string, string>()
  #languages: readonly string[] = []

  /** Looks for the programs, once. */
  constructor({ recognition, program_path }: Pick<IngestSettings, 'recognition' | 'program_path'>) {
    const directories = program_path.split(':').filter(isAbsolute)
    this.#recognition = recognition
    this.#path = program_path
    this.#is_off = recognition === 'off' || program_path === ''
    for (const [name] of Object.values(needed).flat()) {
      const place = directories.map((directory) => join(directory, name)).find(isProgram)
      if (place !== undefined) this.#places.set(name, place)
    }
  }

  /** Kinds of files that programs of this machine read. */
  get installed(): readonly ProgramWork[] {
    return works.filter((work) => this.stateOf(work) === 'installed')
  }

  stateOf(work: ProgramWork): ProgramState {
    if (this.#is_off) return 'off'
    const lacking = needed[work].filter(([name]) => !this.#places.has(name))
    if (lacking.length === 0) return 'installed'
    return { missing: lacking.map(([, package_name]) => package_name) }
  }

  placeOf(name: string): string {
    return this.#places.get(name) ?? name
  }

  /** Languages that tesseract uses. Error `service.program` if it has no data for one. */
  async languages(): Promise<readonly string[]> {
    if (this.#languages.length > 0) return this.#languages
    const known = languagesIn(await this.#ask('--list-langs'))
    const wanted =
      this.#recognition === 'installed'
        ? known.slice(0, max_languages)
        : this.#recognition.split('+')
    const lacking = wanted.length === 0 ? 'eng' : wanted.find((name) => !known.includes(name))
    if (lacking !== undefined) {
      const message = `tesseract has no data for the language ${lacking}: install tesseract-ocr-${lacking.replaceAll('_', '-')}`
      throw new SluiceError({ code: 'service.program', message })
    }
    this.#languages = wanted
    return wanted
  }

  /** Says in one line for users which programs are there. */
  async describe(): Promise<string> {
    if (this.#is_off) return this.#textOf('scans and pictures', 'pdf', 'switched off')
    const how = await this.#describeTesseract().catch(messageOf)
    const office = (['xls', 'ppt'] as const).map((kind) =>
      this.#textOf(`.${kind}`, kind, 'soffice'),
    )
    return [this.#textOf('scans', 'pdf', how), ...office].join('; ')
  }

  async #describeTesseract(): Promise<string> {
    const languages = (await this.languages()).join(', ')
    const version = /^tesseract v?\S+/.exec(await this.#ask('--version'))?.[0] ?? 'tesseract'
    return `${version} with ${languages}; pdftoppm`
  }

  #textOf(what: string, work: ProgramWork, how: string): string {
    const state = this.stateOf(work)
    if (typeof state === 'object')
      return `does not read ${what}: install ${state.missing.join(' and ')}`
    return `${state === 'installed' ? 'reads' : 'does not read'} ${what}: ${how}`
  }

  async #ask(argument: string): Promise<string> {
    const options = { timeout: max_answer_ms, env: { PATH: this.#path } }
    const { stdout } = await promisify(execFile)(this.placeOf('tesseract'), [argument], options)
    return stdout
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
