import { shrinking } from '../text/table.ts'
import { serveList, serveVerb, wordsIfGiven, wordsOf } from './serve-verb.ts'

export const create = serveVerb({
  argument: ['name', 'a name for people'],
  options: {
    project: { needed: 'the id of its project' },
    labels: 'shows assets with one of these labels: their names, with commas',
    'name-pattern': 'shows assets whose file name is like this: * any text, ? one character',
  },
  run({ views }, { name, project: project_id, labels, 'name-pattern': name_pattern }, terminal) {
    terminal.out(views.create(name, { project_id, labels: wordsOf(labels), name_pattern }).view_id)
  },
})

export const list = serveList(
  ['VIEW', 'PROJECT', shrinking('NAME'), shrinking('LABELS'), shrinking('PATTERN')],
  ({ views }) =>
    views.list().map(({ view_id, project_id, name, labels, name_pattern = '' }) => {
      return [view_id, project_id, name, labels.join(', '), name_pattern]
    }),
)

export const change = serveVerb({
  argument: ['id', 'the id of the view'],
  options: {
    name: 'another name',
    labels: "names of labels in place of those before, with commas; '' for none",
    'name-pattern': "a pattern in place of the one before; '' for none",
  },
  run({ views }, { id, name, labels, 'name-pattern': name_pattern }, terminal) {
    views.change(id, { name, labels: wordsIfGiven(labels), name_pattern })
    terminal.err(`${id} is changed, for answers that are written from now on`)
  },
})

export const remove = serveVerb({
  argument: ['id', 'the id of the view'],
  run({ views }, { id }, terminal) {
    views.remove(id)
    terminal.err(`${id} is removed; a question that names it is refused from now on`)
  },
})
