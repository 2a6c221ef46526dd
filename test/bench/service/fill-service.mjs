// node fill-service.mjs DATA_DIR COUNT puts assets into the data folder of a stopped service,
// through its own stores. Each is a ready text of its own with a passage in the index; one in a
// hundred is about herons.
import { createHash } from 'node:crypto'
import { openSqlite } from '../../../dist/base/files/sqlite.js'
import { system_clock } from '../../../dist/base/time/time.js'
import { packDocument } from '../../../dist/service/ingest/passages/kept-document.js'
import { splitDocument } from '../../../dist/service/ingest/passages/split-passages.js'
import { makeId } from '../../../dist/service/store/database.js'
import { PassageIndex } from '../../../dist/service/store/passage-index.js'
import { passage_migrations } from '../../../dist/service/store/passages/index-format.js'
import { openStores } from '../../../dist/service/store/stores.js'

const [data_dir, count] = [process.argv[2], Number(process.argv[3])]
const stores = openStores(data_dir, system_clock)
const { paths, database, assets, objects, access, administration } = stores
const passages = openSqlite({
  file: paths.passages,
  migrations: passage_migrations,
  synchronous: 'NORMAL',
})
const index = new PassageIndex(passages)
const { project_id } = administration.projects.create('bench')
const project = access.projectNumber(project_id)

const day_ms = 86_400_000
const first_ms = Date.now() - day_ms
const word = (at) =>
  createHash('md5')
    .update(`word ${at}`)
    .digest('hex')
    .replace(/\d/g, '')
    .slice(0, 3 + (at % 6))
const words = Array.from({ length: 2_000 }, (_, at) => word(at))

function textOf(number) {
  const parts = [`Minutes number ${number} of the harbour office.`]
  if (number % 100 === 0) parts.push('A heron waits in the reeds.')
  for (let at = 0; at < 30; at++) parts.push(words[Math.floor(words.length * Math.random() ** 2)])
  return parts.join(' ')
}

function add(number) {
  const asset_id = makeId('asset', first_ms + number)
  const text = textOf(number)
  const bytes = Buffer.from(text)
  const md5 = createHash('md5').update(bytes).digest('hex')
  const created_at_ms = first_ms + number
  assets.insert({
    asset_id,
    project,
    filename: `minutes-${number}.txt`,
    mime_type: 'text/plain',
    declared_md5: md5,
    created_at_ms,
    expires_at_ms: created_at_ms + day_ms,
  })
  const { seq } = assets.findAnywhere(asset_id)
  objects.put(seq, { bytes, md5, size_in_bytes: bytes.length })
  assets.accept(seq, { md5, size_in_bytes: bytes.length }, created_at_ms)
  assets.finishIngest(seq, {})
  const document = { text, tables: [], marks: [] }
  const name = `minutes-${number}.txt`
  index.replace({ asset: seq, project, name }, splitDocument(document), packDocument(document))
}

const batch = 5_000
for (let from = 0; from < count; from += batch) {
  const addAll = () => {
    for (let number = from; number < Math.min(count, from + batch); number++) add(number)
  }
  database.transaction(() => passages.transaction(addAll)())()
}
passages.close()
await stores.close()
