import { describe } from 'vitest'
import { arrivalContract } from './contract-arrivals.ts'
import { auditContract } from './contract-audits.ts'
import { claimContract } from './contract-claims.ts'
import { differenceContract } from './contract-differences.ts'
import { fileContract } from './contract-files.ts'
import { folderContract } from './contract-folders.ts'
import { foundContract } from './contract-found.ts'
import { labelContract } from './contract-labels.ts'
import { limitContract } from './contract-limits.ts'
import { orderContract } from './contract-order.ts'
import { pauseContract } from './contract-pause.ts'
import { promptPropertyContract } from './contract-prompt-properties.ts'
import { promptRunContract } from './contract-prompt-runs.ts'
import { promptContract } from './contract-prompts.ts'
import { propertyContract } from './contract-properties.ts'
import { recordContract } from './contract-record.ts'
import { removalDoubtContract } from './contract-removal-doubts.ts'
import { removalLeftOutContract } from './contract-removal-left-out.ts'
import { removalPropertyContract } from './contract-removal-properties.ts'
import { removalTimesContract } from './contract-removal-times.ts'
import { removalContract } from './contract-removals.ts'
import { thereBeforeContract } from './contract-there-before.ts'
import { ticketContract } from './contract-tickets.ts'
import { wallClockContract } from './contract-wall-clock.ts'
import type { LedgerFactory } from './fixture.ts'

/** What every ledger must do, whatever it keeps its rows in. */
export function ledgerContract(name: string, factory: LedgerFactory): void {
  describe(`the ledger on ${name}`, () => {
    describe('files', () => fileContract(factory))
    describe('files of new land', () => foundContract(factory))
    describe('claims', () => claimContract(factory))
    describe('what goes first', () => orderContract(factory))
    describe('limits', () => limitContract(factory))
    describe('a pause', () => pauseContract(factory))
    describe('labels', () => labelContract(factory))
    describe('folders', () => folderContract(factory))
    describe('arrivals', () => arrivalContract(factory))
    describe('prompts', () => promptContract(factory))
    describe('runs of prompts', () => promptRunContract(factory))
    describe('properties of prompts', () => promptPropertyContract(factory))
    describe('what was there before', () => thereBeforeContract(factory))
    describe('audits', () => auditContract(factory))
    describe('removals', () => removalContract(factory))
    describe('removals in doubt', () => removalDoubtContract(factory))
    describe('removals and what is left out', () => removalLeftOutContract(factory))
    describe('removals in their time', () => removalTimesContract(factory))
    describe('properties of removals', () => removalPropertyContract(factory))
    describe('a clock that is wrong', () => wallClockContract(factory))
    describe('tickets', () => ticketContract(factory))
    describe('record', () => recordContract(factory))
    describe('differences', () => differenceContract(factory))
    describe('properties', () => propertyContract(factory))
  })
}
