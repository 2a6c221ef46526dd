import { expect, test } from 'vitest'
import { fileList, runLine } from '../../../src/base/text/prompt-lines.ts'
import { type Client, start } from '../fixture.ts'
import { officePackage, workbookPart } from '../ingest/office-package.ts'

const filler = 'The quay, the crane and the harbour master wait for the tide, as on every day. '

/** The names of the sources of an answer, in their order. */
function sourcesOf(response: string): string[] {
  return [...response.matchAll(/^\*\*(.*)\*\*$/gm)].map(([, source]) => source!)
}

async function sources(client: Client, question: string, more: object = {}): Promise<string[]> {
  return sourcesOf((await client.ask(question, { intelligence: 'fast', ...more })).response)
}

test('a file that the question names comes first, from its beginning', async () => {
  const client = await start()
  const sections = Array.from({ length: 12 }, (_, at) => `part ${at} ${filler.repeat(8)}`)
  await client.upload(sections.join('\n\n'), 'office/budget-2024.txt')
  for (let at = 0; at < 5; at++)
    await client.upload(`budget 2024 txt, budget of the quay ${at}`, `note-${at}.txt`)
  const { response } = await client.ask('What is in budget-2024.txt?', { intelligence: 'fast' })
  expect(sourcesOf(response)[0]).toBe('office/budget-2024.txt')
  expect(response.indexOf('part 0')).toBeLessThan(response.indexOf('part 1'))
  expect(response.indexOf('part 0')).toBeGreaterThan(0)
})

test('a new name of a file is found', async () => {
  const client = await start()
  const id = await client.upload(`${filler}`, 'scan0001.txt')
  await client.post(`/v1/assets/${id}`, { name: 'Lease of the turnstile' })
  await client.upload('The turnstile is red.', 'other.txt')
  await expect.poll(() => sources(client, 'turnstile lease')).toContain('Lease of the turnstile')
})

test('a date is found in every spelling, in texts and in names', async () => {
  const client = await start()
  await client.upload(`Signed on 12. März 2024. ${filler}`, 'a.txt')
  await client.upload(`${filler} b`, 'minutes_20240312.txt')
  await client.upload(`Signed on 13.4.2023, in March. ${filler}`, 'c.txt')
  for (const question of ['vom 12.3.2024', 'signed 2024-03-12', 'papers of March 2024']) {
    const found = await sources(client, question)
    expect(found.slice(0, 2).sort(), question).toEqual(['a.txt', 'minutes_20240312.txt'])
  }
})

test('other projects change nothing', async () => {
  const client = await start()
  await client.upload(`The gasket of the pump. ${filler}`, 'pump.txt')
  await client.upload(`The pump and its motor, pump by pump. ${filler}`, 'motor.txt')
  await client.upload(`${filler} nothing`, 'quay.txt')
  const before = await client.ask('Which gasket has the pump?')
  const { project_id } = client.service.projects.create('foreign')
  const foreign = client.as({ project_id })
  for (let at = 0; at < 20; at++) await foreign.upload(`A gasket is a gasket ${at}.`, `${at}.txt`)
  const after = await client.ask('Which gasket has the pump?')
  expect(after.response).toBe(before.response)
  const scope = { project_ids: [client.project_id, project_id] }
  const both = await sources(client, 'Which gasket has the pump?', { scope })
  expect(both[0]).toBe('pump.txt')
  expect(both[1]).toMatch(/^\d+\.txt$/)
})

test('a scheduled prompt finds what its request asks for', async () => {
  const client = await start()
  await client.upload(`The gasket of the pump is of rubber. ${filler}`, 'office/pump.txt')
  for (let at = 0; at < 8; at++)
    await client.upload(
      `digest of weekly plans ${at}: plan, office, txt, 08:00`,
      `office/plan-${at}.txt`,
    )
  const names = Array.from({ length: 40 }, (_, at) => `office/weekly plan ${at}.txt`)
  const line = runLine('weekly digest', Date.UTC(2026, 10, 23, 7), 'Europe/Berlin')
  const found = await sources(
    client,
    `What is the gasket made of?${fileList(names, 40)}\n\n${line}`,
  )
  expect(found).toEqual(['office/pump.txt'])
})

test('answers name the heading, the sheet and the row', async () => {
  const client = await start()
  const heading = (level: number, words: string) =>
    `<w:p><w:pPr><w:outlineLvl w:val="${level}"/></w:pPr><w:r><w:t>${words}</w:t></w:r></w:p>`
  const paragraph = (words: string) => `<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`
  const body =
    heading(0, '4 Terms') +
    paragraph('They agree.') +
    heading(1, '4.2 Payment') +
    paragraph('The gasket is paid in June.') +
    heading(1, '4.3 Law') +
    paragraph('Of Bremen.')
  const content = `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`
  const docx = officePackage({ kind: 'officeDocument', name: 'word/document.xml', content })
  await client.upload(docx, 'contract.docx', 'application/octet-stream')
  expect(await sources(client, 'When is the gasket paid?')).toEqual(['contract.docx, 4.2 Payment'])

  const cell = (words: string | number) =>
    typeof words === 'number'
      ? `<c><v>${words}</v></c>`
      : `<c t="inlineStr"><is><t>${words}</t></is></c>`
  const row = (number: number, ...cells: (string | number)[]) =>
    `<row r="${number}">${cells.map(cell).join('')}</row>`
  const rows =
    row(1, 'Berth', 'Metres') +
    row(2, 'Heron', 120) +
    row(17, 'Turnstile', 90) +
    row(18, 'Crane', 80)
  await client.upload(
    officePackage(workbookPart({ rows })),
    'prices.xlsx',
    'application/octet-stream',
  )
  expect(await sources(client, 'How long is the turnstile?')).toEqual([
    'prices.xlsx, sheet Berths, row 17',
  ])

  await client.upload('# Guide\n\nIntroduction.\n\n## Care\n\nOil the windlass.\n', 'guide.md')
  expect(await sources(client, 'Who oils the windlass?')).toEqual(['guide.md, Care (in Guide)'])
  await client.upload(
    '<h1>Harbour</h1><p>Open.</p><h2>Lamps</h2><p>The beacon burns.</p>',
    'page.html',
  )
  expect(await sources(client, 'Does the beacon burn?')).toEqual(['page.html, Lamps (in Harbour)'])
  await client.upload('name;price\nwinch;12\nbollard;7\n', 'stock.csv')
  expect(await sources(client, 'What does the bollard cost?')).toEqual(['stock.csv, line 3'])
})

test('German words are found in other forms, compounds and spellings', async () => {
  const client = await start()
  await client.upload(`Die Kündigungsfristen der Verträge in der Hafenstraße. ${filler}`, 'a.txt')
  for (const question of [
    'Kündigung',
    'Wie ist der Vertrag?',
    'Welche Kuendigungsfrist gilt?',
    'hafenstrasse',
  ])
    expect(await sources(client, question), question).toEqual(['a.txt'])
})

test('everyday questions are answered from names, times and counts', async () => {
  const client = await start()
  for (const name of ['contract-a.txt', 'contract-b.txt', 'letter.txt'])
    await client.upload(`${filler}${name}`, name)
  const answer = async (question: string) => (await client.ask(question)).response
  expect(await answer('How many contracts are there?')).toMatch(
    /^3 files are there\. 2 of them have contracts in the name\. The newest:\n\n- letter\.txt \(\d\d:\d\d\)\n/,
  )
  expect(await answer('Was ist neu?')).toMatch(
    /^3 Dateien sind da\. Die neuesten:\n\n- letter\.txt/,
  )
  expect(await answer('What is this about?')).toContain('> The quay, the crane')
})

test('where nothing fits, the answer says what was searched', async () => {
  const client = await start()
  for (const name of ['a.txt', 'b.txt']) await client.upload(`${filler}${name}`, name)
  expect((await client.ask('Where are the turnstile and its gasket?')).response).toBe(
    'None of the 2 files asked about has a passage with: turnstile, gasket\n\n_No language model wrote this answer._',
  )
})
