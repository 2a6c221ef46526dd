import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { system_clock } from '../../../src/base/time/time.ts'
import { type Check, type DoctorTools, usual_limits } from '../../../src/inspect/doctor/check.ts'
import { configOf } from '../../rig/config-of.ts'
import { makeStore } from '../../rig/tree.ts'

/** The tools of a check, for a configuration with one folder. */
export function toolsFor(
  config: { folder?: object; [section: string]: unknown } = {},
  change: Partial<DoctorTools> = {},
): DoctorTools {
  const { folder, ...sections } = config
  const service = {
    base_url: 'https://service.invalid',
    project_id: 'project_0123456789abcdefghij',
  }
  const folders = [{ name: 'docs', path: '/nowhere/docs', ...folder }]
  return {
    config: configOf(
      { service, state_dir: '/nowhere/state', folders, ...sections },
      { HOME: '/nowhere' },
    ),
    clock: system_clock,
    limits: { ...usual_limits, answer_ms: 2_000 },
    proxy: { http_proxy: undefined, https_proxy: undefined, no_proxy: undefined },
    uid: process.getuid?.(),
    ledger: undefined,
    isUnresponsive: () => false,
    ...change,
  }
}

/** Levels of the checks, in their order. */
export function levels(checks: readonly Check[]): string[] {
  return checks.map(({ level, id }) => `${level} ${id}`)
}

/**
 * A self-signed certificate that openssl makes for this test, valid in the two years (YYYY) from
 * the first to the last of January.
 */
export function makeCertificate(
  name: string,
  [from, to]: [string, string],
): { key: string; cert: string; file: string } {
  const home = makeStore()
  const at = (file: string) => join(home, file)
  const section =
    '[ca]\ndefault_ca=own\n[own]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\npolicy=any\ndefault_md=sha256\n'
  writeFileSync(at('ca.cnf'), `${section}copy_extensions=copy\n[any]\ncommonName=supplied\n`)
  writeFileSync(at('index.txt'), '')
  writeFileSync(at('serial'), '01')
  const openssl = (...words: string[]) =>
    execFileSync('openssl', words, { cwd: home, stdio: 'ignore' })
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  openssl(
    'req',
    '-new',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    'key.pem',
    '-out',
    'req.pem',
    ...names,
  )
  const times = ['-startdate', `${from}0101000000Z`, '-enddate', `${to}0131000000Z`]
  const own = [
    '-config',
    'ca.cnf',
    '-batch',
    '-selfsign',
    '-keyfile',
    'key.pem',
    '-in',
    'req.pem',
    '-out',
    'cert.pem',
  ]
  openssl('ca', ...own, '-notext', ...times)
  return {
    key: readFileSync(at('key.pem'), 'utf8'),
    cert: readFileSync(at('cert.pem'), 'utf8'),
    file: at('cert.pem'),
  }
}
