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

test('a digest of new files shows how they begin, whatever it asks for in form', async () => {
  const client = await start()
  const names = ['lease.txt', 'minutes.txt', 'pump.txt']
  const asset_ids = await Promise.all(
    names.map((name) => client.upload(`The first paragraph of ${name}. ${filler}`, name)),
  )
  const line = runLine('digest', Date.UTC(2026, 10, 23, 7), 'Europe/Berlin')
  const files = fileList(
    names.map((name) => `office/${name}`),
    3,
  )
  for (const request of [
    'Summarise what is new in office since the beginning, one paragraph for each subject, the most important first.\nName the file behind each statement. 3 files arrived:',
    'Fasse zusammen, was in office seit the beginning neu ist.',
    'Write the entry of 2026-11-23: one line for each of these 3 files, and who must see it.',
  ]) {
    const scope = { asset_ids }
    const { response } = await client.ask(`${request} ${files}\n\n${line}`, { scope })
    expect(sourcesOf(response).sort(), request).toEqual(names)
    expect(response).not.toContain('No file asked about')
  }
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
    /^3 files are there\. 2 of them have “contracts” in the name or folder\.\n\nThose that came in last:\n\n- contract-b\.txt \(\d\d:\d\d\)\n- contract-a\.txt \(\d\d:\d\d\)\n\n\*/,
  )
  expect(await answer('Was ist neu?')).toMatch(
    /^3 Dateien sind da\.\n\nZuletzt angekommen:\n\n- letter\.txt/,
  )
  expect(await answer('What is this about?')).toMatch(
    /^3 files are there\.\n\nBy kind: 3 txt\.\n\n.*\n\n\*\*letter\.txt\*\*\n\n> The quay, the crane/,
  )
  expect(await answer('What came in yesterday?')).toMatch(
    /^3 files are there\. 0 of them came in on \d{4}-\d\d-\d\d\.\n\n_No language model/,
  )
})

test('a count of things in files is searched for with all of its words', async () => {
  const client = await start()
  await client.upload('Leave, paid leave and unpaid leave: ask for leave.', 'form.txt')
  await client.upload('The leave of an apprentice lasts for 28 days.', 'rules.txt')
  expect((await sources(client, 'How many days of leave are there?'))[0]).toBe('rules.txt')
})

test('the last ones of a kind of files are listed by the dates in their names', async () => {
  const client = await start()
  const minutes = ['2024-12-03 board.txt', 'Protokoll 14.05.2024.md', '2025-02-11_sales.txt']
  for (const name of minutes) await client.upload(`${filler}${name}`, `Protokolle/${name}`)
  await client.upload(`${filler} Protokoll`, 'letter.txt')
  const { response } = await client.ask('Zeig mir die letzten Protokolle.')
  expect([...response.matchAll(/^- Protokolle\/(.*) \(/gm)].map(([, name]) => name)).toEqual([
    '2025-02-11_sales.txt',
    '2024-12-03 board.txt',
    'Protokoll 14.05.2024.md',
  ])
})

test('words that no file has are named, and weak words alone are no answer', async () => {
  const client = await start()
  await client.upload(`Zum Thema Hafen haben wir etwas. ${filler}`, 'a.txt')
  await client.upload('The price of oak is high.', 'b.txt')
  const answer = async (question: string) => (await client.ask(question)).response
  expect(await answer('Haben wir etwas zum Thema Mondlandung?')).toBe(
    'None of the 2 files asked about has a passage with: mondlandung\n\n_No language model wrote this answer._',
  )
  const oak = await answer('What is the price of oak in Peru?')
  expect(oak).toContain('> The price of oak is high.')
  expect(oak).toContain('No file asked about has: peru.')
  expect(await answer('What is the price of oak?')).not.toContain('No file asked about')
})

test('what is written together or apart is found in the other way', async () => {
  const client = await start()
  const files = {
    'part.txt': 'The part WK-1377 is of brass.',
    'code.txt': 'parse_invoice_total raises an error.',
    'plain.txt': 'The ticket QS4711 is open, call 0221 / 987 65-43.',
    'bill.txt': 'The invoice RE-2026-103 is paid.',
    'bank.txt': 'Pay to DE89 3704 0044 0532 0130 00.',
    'yard.txt': 'Der Fahrradstellplatz wird überdacht.',
    'sizes.txt': 'Die Übersicht der Größen.',
    'stock-list_05.txt': 'Counted in May.',
  }
  for (const [name, words] of Object.entries(files)) await client.upload(words, name)
  for (const [question, name] of [
    ['wk1377', 'part.txt'],
    ['parseInvoiceTotal', 'code.txt'],
    ['RE2026103', 'bill.txt'],
    ['QS-4711', 'plain.txt'],
    ['+49 221 9876543', 'plain.txt'],
    ['Who has DE89370400440532013000?', 'bank.txt'],
    ['Stellplätze', 'yard.txt'],
    ['show me uebersicht groessen', 'sizes.txt'],
    ['What is the stocklist?', 'stock-list_05.txt'],
    ['stock list 5', 'stock-list_05.txt'],
  ])
    expect(await sources(client, question!), question).toEqual([name])
  // Names of properties of every object are words like others.
  expect(await sources(client, 'constructor-of toString')).toEqual([])
})

test('a passage is quoted with the one behind it in its section, once', async () => {
  const client = await start()
  const list = 'emerg: the system is unusable.\nalert: hurry up.'
  const first = `The levels of the syslog turnstile, in decreasing order. ${filler.repeat(6)}`
  await client.upload(`${first}\n\n${list} ${filler.repeat(10)}`, 'levels.txt')
  const { response } = await client.ask('What is the decreasing order of levels of the turnstile?')
  expect(sourcesOf(response)).toEqual(['levels.txt'])
  expect(response).toContain('> emerg: the system is unusable.')
  await client.upload(
    '<title>Lease</title><h1>Lease of the windlass</h1><p>Until May.</p>',
    'a.html',
  )
  const lease = (await client.ask('Where is the windlass?')).response
  expect(lease).toContain('> Until May.')
})

test('where nothing fits, the answer says what was searched', async () => {
  const client = await start()
  for (const name of ['a.txt', 'b.txt']) await client.upload(`${filler}${name}`, name)
  expect((await client.ask('Where are the turnstile and its gasket?')).response).toBe(
    'None of the 2 files asked about has a passage with: turnstile, gasket\n\n_No language model wrote this answer._',
  )
})
