import type { Paths } from '../../base/files/paths.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { didYouMeanText } from '../../base/text/did-you-mean.ts'
import { formatBytes } from '../../base/text/format.ts'
import { readingText } from '../../domain/reading.ts'
import {
  fileAnswer,
  filesNamedBy,
  knownFiles,
  type NamedFiles,
  nothingMatches,
} from '../../inspect/files/known-files.ts'
import { type FileView, type StageWanted, stages_wanted } from '../../ledger/views/view-files.ts'
import { noLedgerYet, withLedgerView } from '../../status/with-view.ts'
import { defineCommand, flag, text } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { loadFor, onPaths } from '../on-paths.ts'
import { wherePlaced } from '../place-called.ts'
import { answer_version, printNote } from '../text/print.ts'
import { right, sentences, shrinking, tableLines } from '../text/table.ts'
import type { Terminal } from '../text/terminal.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .positional('path', {
        type: 'string',
        describe:
          "a folder, a directory, a file, or a pattern such as '*.pdf' (default: everything)",
      })
      .option(
        'state',
        text(
          `only these, with commas between: ${stages_wanted.join(', ')} (default: all but gone)`,
        ),
      )
      .option('json', flag('one JSON object')),
  async run({ config: file, path, state, json }, terminal) {
    const wanted = state === undefined ? [] : stagesOf(state)
    const { config, paths } = await loadFor(terminal, { file })
    const { folders } = config
    return withLedgerView(config.state_dir, async (view) => {
      const all = folders.map(({ name }): NamedFiles => ({ folder: name, path: '' }))
      const namedBy = (text: string) => (paths: Paths) =>
        filesNamedBy(text, folders, view, process.cwd(), paths)
      const where = path && (await wherePlaced(path, config, { terminal, paths }))
      const named = where === undefined ? all : await onPaths(terminal, namedBy(where), paths)
      const print = json ? writeJson : writeTable
      const count = print(view ? knownFiles(view, named, wanted) : [], terminal)
      if (view === undefined) {
        printNote(terminal, noLedgerYet(config.state_dir))
        return exit_codes.incomplete
      }
      if (count > 0 || path === undefined || state !== undefined) return exit_codes.ok
      throw named.some(({ matches }) => matches) ? nothingMatches(path) : unknownPath(path)
    })
  },
})

function stagesOf(text: string): StageWanted[] {
  return text.split(',').map((word) => {
    const stage = stages_wanted.find((name) => name === word.trim())
    if (stage !== undefined) return stage
    if (word.trim() === 'ignored') throw ignoredState()
    const hint = didYouMeanText(word, stages_wanted, 'the states are')
    throw new SluiceError({ code: 'usage.invalid', message: `there is no state ${word}`, hint })
  })
}

/** Sluice keeps no record of a file that a rule ignores. */
function ignoredState(): SluiceError {
  return new SluiceError({
    code: 'usage.invalid',
    message: 'ignored files are in no list, because Sluice keeps no record of them',
    hint: `\`sluice explain PATH\` names the rule that ignores a path, \`sluice plan\` counts them by rule; the states are ${stages_wanted.join(', ')}`,
  })
}

/** Words before a reason. A narrow column has no place for them. */
const boilerplate =
  /^(given up after [^:]*: )?(the (service|blob store) (cannot read this file: |answered \d+[^:]*: )?|it (is )?)?/

/** Columns fit the rows of a page. */
function writeTable(pages: Iterable<FileView[]>, terminal: Terminal): number {
  const columns = ['STATE', right('SIZE'), shrinking('FILE'), sentences('WHY')]
  let count = 0
  for (const page of pages) {
    const rows = page.map(({ stage, size, folder, path, reason, detail, reading }) => [
      stage,
      formatBytes(size),
      `${folder}/${path}`,
      (detail ?? reason ?? readingText(reading) ?? '').replace(boilerplate, ''),
    ])
    const [title, ...lines] = tableLines(columns, rows, terminal.width)
    if (count === 0) terminal.out(title!)
    terminal.out(lines.join('\n'))
    count += page.length
  }
  return count
}

/** One JSON object, written page by page. */
function writeJson(pages: Iterable<FileView[]>, terminal: Terminal): number {
  let count = 0
  terminal.out(`{"version":${answer_version},"files":[`)
  for (const page of pages) {
    const lines = page.map((file) => JSON.stringify(fileAnswer(file)))
    terminal.out(`${count === 0 ? '' : ','}${lines.join(',\n')}`)
    count += page.length
  }
  terminal.out(']}')
  return count
}

function unknownPath(path: string): SluiceError {
  return new SluiceError({
    code: 'usage.path',
    message: `nothing is known of ${path}`,
    hint: '`sluice explain PATH` says whether a rule ignores it, and which',
  })
}
