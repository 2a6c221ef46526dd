import { expect, test } from 'vitest'
import { judgeByPrograms } from '../../../src/service/reading/judge-programs.ts'

const reading = { of: 3, seen: 1, unit: 'page', why: 'pages 2–3 are pictures' } as const
const pdf = [
  { kind: 'pdf', page: 2 },
  { kind: 'pdf', page: 3 },
] as const
const xls = [{ kind: 'xls', page: 1 }] as const
const wordless = { unreadable: 'it has no text, only pictures', has_no_text: true } as const
const missing = { missing: ['tesseract-ocr'] }
const needs = "needs tesseract-ocr, not installed on the service's machine"

test.each([
  ['nothing for programs', { reading }, missing, { reading }],
  [
    'in part, installed',
    { reading, for_programs: pdf },
    'installed',
    { reading, for_programs: pdf },
  ],
  [
    'in part, missing: what is there stays, and the reason says more',
    { reading, for_programs: pdf },
    missing,
    {
      reading: { ...reading, why: `pages 2–3 are pictures; to read more it ${needs}` },
      for_programs: pdf,
    },
  ],
  ['no text, off', { ...wordless, for_programs: pdf }, 'off', { ...wordless, for_programs: pdf }],
  [
    'no text, installed: it waits',
    { ...wordless, for_programs: pdf },
    'installed',
    { ...wordless, for_programs: pdf, waits: true },
  ],
  [
    'no text, missing: the package is the reason',
    { ...wordless, for_programs: pdf },
    missing,
    { unreadable: `it ${needs}`, needs_program: true, for_programs: pdf },
  ],
  [
    'an old file keeps what was converted before',
    { unreadable: 'old', for_programs: xls },
    'installed',
    { unreadable: 'old', for_programs: xls, waits: true, is_local: true },
  ],
  [
    'the same without the program',
    { unreadable: 'old', for_programs: xls },
    missing,
    { unreadable: `it ${needs}`, needs_program: true, for_programs: xls, is_local: true },
  ],
] as const)('what becomes of a file that programs read: %s', (_what, outcome, state, expected) =>
  expect(judgeByPrograms({ asset: 1, ...outcome }, { stateOf: () => state })).toEqual({
    asset: 1,
    ...expected,
  }),
)
