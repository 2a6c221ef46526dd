import { shrinking } from '../text/table.ts'
import { serveList, serveVerb, wordsIfGiven, wordsOf } from './serve-verb.ts'

function removal(kind: 'concept' | 'view') {
  return serveVerb({
    argument: ['id', `the id of the ${kind}`],
    run(administration, { id }, terminal) {
      administration[`${kind}s`].remove(id)
      terminal.err(`${id} is removed; a question that names it is refused from now on`)
    },
  })
}

export const concept = {
  create: serveVerb({
    argument: ['name', 'the name that users see'],
    options: {
      project: { needed: 'the id of its project, or the name' },
      assets: { needed: 'the ids of its assets, with commas' },
      labels: 'names of its labels, with commas; new ones are made',
    },
    run({ concepts }, { name, project: project_id, assets, labels }, terminal) {
      const of = { project_id, asset_ids: wordsOf(assets), labels: wordsOf(labels) }
      terminal.out(concepts.create(name, of).concept_id)
    },
  }),

  list: serveList(
    ['CONCEPT', 'PROJECT', 'ASSETS', shrinking('NAME'), shrinking('LABELS')],
    ({ concepts }) =>
      concepts.list().map(({ concept_id, project_id, assets, name, labels }) => {
        return [concept_id, project_id, String(assets), name, labels.join(', ')]
      }),
  ),

  change: serveVerb({
    argument: ['id', 'the id of the concept'],
    options: {
      name: 'another name',
      assets: 'the ids of the assets in place of those before, with commas',
      labels: "names of labels in place of those before, with commas; '' for none",
    },
    run({ concepts }, { id, name, assets, labels }, terminal) {
      concepts.change(id, { name, asset_ids: wordsIfGiven(assets), labels: wordsIfGiven(labels) })
      terminal.err(`${id} is changed; it applies to answers that are written from now on`)
    },
  }),

  remove: removal('concept'),
}

export const view = {
  create: serveVerb({
    argument: ['name', 'the name that users see'],
    options: {
      project: { needed: 'the id of its project, or the name' },
      labels: 'shows assets with one of these labels: their names, with commas',
      'name-pattern': 'shows assets whose file name is like this: * any text, ? one character',
    },
    run({ views }, { name, project: project_id, labels, 'name-pattern': name_pattern }, terminal) {
      terminal.out(
        views.create(name, { project_id, labels: wordsOf(labels), name_pattern }).view_id,
      )
    },
  }),

  list: serveList(
    ['VIEW', 'PROJECT', shrinking('NAME'), shrinking('LABELS'), shrinking('PATTERN')],
    ({ views }) =>
      views.list().map(({ view_id, project_id, name, labels, name_pattern = '' }) => {
        return [view_id, project_id, name, labels.join(', '), name_pattern]
      }),
  ),

  change: serveVerb({
    argument: ['id', 'the id of the view'],
    options: {
      name: 'another name',
      labels: "names of labels in place of those before, with commas; '' for none",
      'name-pattern': "a pattern in place of the one before; '' for none",
    },
    run({ views }, { id, name, labels, 'name-pattern': name_pattern }, terminal) {
      views.change(id, { name, labels: wordsIfGiven(labels), name_pattern })
      terminal.err(`${id} is changed; it applies to answers that are written from now on`)
    },
  }),

  remove: removal('view'),
}
