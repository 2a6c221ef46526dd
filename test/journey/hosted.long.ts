import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The local journeys, which `npm test` makes with the default profile alone, against what the hosted service was seen to do.
const here = fileURLToPath(new URL('.', import.meta.url))
const names = readdirSync(here).filter((name) => name.endsWith('.test.ts'))
const local = names.filter((name) => readFileSync(here + name, 'utf8').includes('localJourneys('))
for (const name of local) await import(here + name)
