import { describe } from 'vitest'
import { sqlite_factory } from '../../sqlite-factory.ts'
import { removalPropertyContract } from './properties.ts'

// `npm test` has 20 of these histories.
describe('many histories of removals', { timeout: 300_000 }, () =>
  removalPropertyContract(sqlite_factory, 150),
)
