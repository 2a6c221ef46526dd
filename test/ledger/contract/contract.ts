import { describe } from 'vitest'
import type { LedgerFactory } from '../fixture.ts'
import { arrivalContract } from './arrivals.ts'
import { auditContract } from './audits.ts'
import { claimContract } from './claims.ts'
import { differenceContract } from './differences.ts'
import { fileContract } from './files.ts'
import { folderContract } from './folders.ts'
import { foundContract } from './found.ts'
import { labelContract } from './labels.ts'
import { limitContract } from './limits.ts'
import { orderContract } from './order.ts'
import { changeContract } from './prompts/changes.ts'
import { existingFilesContract } from './prompts/existing-files.ts'
import { leftContract } from './prompts/left.ts'
import { pauseContract } from './prompts/pause.ts'
import { promptContract } from './prompts/prompts.ts'
import { promptPropertyContract } from './prompts/properties.ts'
import { promptRunContract } from './prompts/runs.ts'
import { propertyContract } from './properties.ts'
import { recordContract } from './record.ts'
import { refusedContract } from './refused.ts'
import { removalLeftOutContract } from './removals/left-out.ts'
import { removalPropertyContract } from './removals/properties.ts'
import { removalContract } from './removals/removals.ts'
import { removalTimesContract } from './removals/times.ts'
import { uncertainRemovalContract } from './removals/uncertain.ts'
import { ticketContract } from './tickets.ts'
import { typeContract } from './types.ts'
import { wallClockContract } from './wall-clock.ts'

/** The tests that every ledger must pass, however it stores its rows. */
export function ledgerContract(name: string, factory: LedgerFactory): void {
  describe(`the ledger on ${name}`, () => {
    describe('files', () => fileContract(factory))
    describe('files found by a first walk', () => foundContract(factory))
    describe('claims', () => claimContract(factory))
    describe('order of uploads', () => orderContract(factory))
    describe('limits', () => limitContract(factory))
    describe('types of files', () => typeContract(factory))
    describe('pause', () => pauseContract(factory))
    describe('labels', () => labelContract(factory))
    describe('folders', () => folderContract(factory))
    describe('arrivals', () => arrivalContract(factory))
    describe('prompts', () => promptContract(factory))
    describe('runs of prompts', () => promptRunContract(factory))
    describe('changes of files', () => changeContract(factory))
    describe('files that a run leaves', () => leftContract(factory))
    describe('properties of prompts', () => promptPropertyContract(factory))
    describe('files that existed before the folder or the prompt', () =>
      existingFilesContract(factory))
    describe('audits', () => auditContract(factory))
    describe('removals', () => removalContract(factory))
    describe('uncertain removals', () => uncertainRemovalContract(factory))
    describe('removals and left-out files', () => removalLeftOutContract(factory))
    describe('times of removals', () => removalTimesContract(factory))
    describe('properties of removals', () => removalPropertyContract(factory))
    describe('wrong clock', () => wallClockContract(factory))
    describe('tickets', () => ticketContract(factory))
    describe('record', () => recordContract(factory))
    describe('refused facts', () => refusedContract(factory))
    describe('differences', () => differenceContract(factory))
    describe('properties', () => propertyContract(factory))
  })
}
