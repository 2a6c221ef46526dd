import { mkdir, mkdtemp, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { SluiceError } from '../../base/run/errors.ts'
import { formatDuration } from '../../base/text/format.ts'
import { minute_ms, system_clock } from '../../base/time/time.ts'
import { placeOfPage } from '../ingest/picture-pages.ts'
import type { Parts } from '../parts.ts'
import type { ObjectPlace } from '../store/object-files.ts'
import type { PageToRead, RecognisedPage } from '../store/picture-pages.ts'
import { isBlankPage, recognisedWords } from './program-output.ts'
import { cannot_read, runProgram, takes_too_long } from './run-program.ts'

const dots_per_inch = 200
/** Pixels of the longer side of a page that is too large for `dots_per_inch`. */
const max_side_pixels = 6_000
/** The start of soffice alone takes up to ten seconds. */
const convert_ms = minute_ms
/** pdftoppm draws a single point in place of a page that is too large. */
const one_point_bytes = 'P5\n1 1\n255\n.'.length
/** With less space on the disk, a program fails for that reason. */
const min_free_bytes = 256 * 1024 * 1024

/** The file that a program wrote, or why there is none, to continue "it". */
type Made = { file: string } | { fault: string }

/** Runs programs on one file at a time, in a private directory that is removed afterwards. */
export class ProgramReader {
  readonly #parts: Parts
  #directory = ''
  /** The time of all programs for one page or file, and its end. */
  #max_ms = 0
  #until_ms = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Removes the files of this run and of earlier ones. */
  async clear(): Promise<void> {
    await rm(this.#parts.paths.programs, { recursive: true, force: true })
  }

  /** Recognises a page of the document at this place. */
  async recognise(of: PageToRead, place: ObjectPlace): Promise<RecognisedPage> {
    const input = await this.#begin(place, this.#parts.settings.ingest.page_time_ms)
    const { page: number } = placeOfPage(of.page)
    try {
      const made = of.kind === 'pdf' ? await this.#draw(input, number) : { file: input }
      const table = await this.#readPicture(made, of, 'tsv')
      const words = 'fault' in table ? '' : recognisedWords(await readFile(table.file, 'utf8'))
      // Words come first: a page with a short line, or with faint letters, looks like a blank one.
      const is_read = words !== '' || ('file' in table && (await this.#isBlank(made, of)))
      const fault = 'fault' in table ? table.fault : 'has no words that were recognised'
      return { page: of.page, words, fault: is_read ? null : fault }
    } finally {
      await this.clear()
    }
  }

  /** Converts the old office file at this place. The caller clears. */
  async convert({ kind }: PageToRead, place: ObjectPlace): Promise<Made> {
    const input = await this.#begin(place, convert_ms)
    const profile = `-env:UserInstallation=file://${join(this.#directory, 'profile')}`
    const outdir = join(this.#directory, 'converted')
    const options = [profile, '--headless', '--norestore', '--nolockcheck', '--convert-to']
    const output = join(outdir, `${basename(input)}.${kind}x`)
    return await this.#run('soffice', [...options, `${kind}x`, '--outdir', outdir, input], output)
  }

  /** Makes the private directory. Returns the path of the bytes. */
  async #begin(place: ObjectPlace, max_ms: number): Promise<string> {
    const { paths } = this.#parts
    this.#max_ms = max_ms
    this.#until_ms = system_clock.monotonic_ms() + max_ms
    await this.clear()
    await mkdir(paths.programs, { mode: 0o700 })
    // A program of a killed service may still write, but not here.
    this.#directory = await mkdtemp(join(paths.programs, 'run-'))
    if ('file' in place) return join(paths.objects, place.file)
    const input = join(this.#directory, 'input')
    await writeFile(input, place.bytes, { mode: 0o600 })
    return input
  }

  /** Draws a page. One that is too large is drawn smaller. */
  async #draw(input: string, page: number): Promise<Made> {
    const root = join(this.#directory, 'page')
    const draw = (...scale: readonly string[]) => {
      const pages = ['-gray', '-singlefile', '-f', `${page}`, '-l', `${page}`]
      return this.#run('pdftoppm', [...pages, ...scale, input, root], `${root}.pgm`)
    }
    const drawn = await draw('-r', `${dots_per_inch}`)
    return 'file' in drawn ? drawn : await draw('-scale-to', `${max_side_pixels}`)
  }

  async #isBlank(picture: Made, of: PageToRead): Promise<boolean> {
    const drawn = of.kind === 'pdf' ? picture : await this.#drawPicture(picture, of)
    return 'file' in drawn && isBlankPage(await readFile(drawn.file))
  }

  /** Draws a picture of several in a file. A file of one needs words, blank or not. */
  async #drawPicture(picture: Made, of: PageToRead): Promise<Made> {
    const { pictures, programs } = this.#parts
    const is_one = pictures.countWaiting(of.asset) + pictures.done(of.asset).length === 1
    if (is_one || programs.stateOf('pdf') !== 'installed') return { fault: 'was not drawn' }
    const sheet = await this.#readPicture(picture, of, 'pdf')
    return 'fault' in sheet ? sheet : await this.#draw(sheet.file, 1)
  }

  /** Runs tesseract, which writes a table of words, or the page itself. */
  async #readPicture(
    picture: Made,
    { page, kind }: PageToRead,
    form: 'tsv' | 'pdf',
  ): Promise<Made> {
    if ('fault' in picture) return picture
    const root = join(this.#directory, 'words')
    const languages = await this.#parts.programs.languages()
    const of_kind =
      kind === 'pdf'
        ? ['--dpi', `${dots_per_inch}`]
        : ['-c', `tessedit_page_number=${placeOfPage(page).page - 1}`]
    const args = [picture.file, root, '-l', languages.join('+'), '--psm', '1', ...of_kind, form]
    return await this.#run('tesseract', args, `${root}.${form}`)
  }

  /** Runs a program that is to write the file `output`. */
  async #run(
    name: 'tesseract' | 'pdftoppm' | 'soffice',
    args: readonly string[],
    output: string,
  ): Promise<Made> {
    const { programs, settings, signal } = this.#parts
    const fault = await runProgram({
      file: programs.placeOf(name),
      args,
      directory: this.#directory,
      path: settings.ingest.program_path,
      until_ms: this.#until_ms,
      signal,
    })
    const { size } = await stat(output).catch(() => ({ size: -1 }))
    if (fault === undefined && size > (name === 'pdftoppm' ? one_point_bytes : -1))
      return { file: output }
    await this.#checkSpace()
    const was_not = `was not ${name === 'soffice' ? 'converted' : 'recognised'}`
    if (fault === takes_too_long)
      return { fault: `${was_not}: it takes longer than ${formatDuration(this.#max_ms)}` }
    if (fault === undefined || fault === cannot_read)
      return { fault: `is broken, or in a form that ${name} does not know` }
    return { fault: `${was_not}: ${name} ${fault}` }
  }

  /** A full disk is no fault of the file. */
  async #checkSpace(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#directory)
    if (bavail * bsize >= min_free_bytes) return
    throw new SluiceError({
      code: 'service.program',
      message: 'no program reads scans now: the disk is full',
    })
  }
}
