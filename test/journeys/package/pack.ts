import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/**
 * The parts of the project that `npm pack` needs. It builds again, which must not happen in the
 * tree of other tests.
 */
const parts = [
  'src',
  'config',
  'docs',
  'systemd',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  '.npmrc',
]
/** Missing from Node 22.14 on (src/base/files/sqlite-driver.ts). */
const compiled_sqlite = join(root, 'node_modules/better-sqlite3')
const texts = ['README.md', 'CHANGELOG.md', 'LICENSE']

export interface Packed {
  /** Path of the tarball. */
  file: string
  /** Paths in it, below `package/`. */
  files: string[]
}

/**
 * Packs a copy of the project into the directory, with the version of package.json or another one.
 */
export function packProject(directory: string, version = projectVersion()): Packed {
  const project = join(directory, 'project')
  mkdirSync(project)
  for (const part of [...parts, ...texts])
    cpSync(join(root, part), join(project, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
  run('npm', ['pkg', 'set', `version=${version}`], { cwd: project })
  run('npm', ['pack', '--pack-destination', directory], { cwd: project })
  rmSync(project, { recursive: true })
  const file = join(directory, `sluice-${version}.tgz`)
  const listed = run('tar', ['-tzf', file]).stdout.split('\n')
  return {
    file,
    files: listed.filter((path) => path !== '').map((path) => path.replace(/^package\//, '')),
  }
}

/**
 * Installs it as `npm install -g` does. If better-sqlite3 has its own binary, the install scripts
 * of the other version do not run.
 */
export function installPacked(file: string, prefix: string): string {
  const prebuilt = join(prefix, 'prebuilt')
  packSqlite(prebuilt)
  const env = { ...process.env, npm_config_better_sqlite3_local_prebuilds: prebuilt }
  const scripts = existsSync(compiled_sqlite) ? [] : ['--ignore-scripts']
  const words = [
    'install',
    '-g',
    '--prefix',
    prefix,
    '--omit=dev',
    '--prefer-offline',
    ...scripts,
    file,
  ]
  const { stdout, stderr } = run('npm', words, { env })
  return stdout + stderr
}

/**
 * Offers the compiled better-sqlite3 of the project as a prebuilt one, for the variable
 * npm_config_better_sqlite3_local_prebuilds: to compile it takes a minute and tests nothing. Does
 * nothing if it is not needed.
 */
export function packSqlite(directory: string): void {
  mkdirSync(directory, { recursive: true })
  if (!existsSync(compiled_sqlite)) return
  const { version } = JSON.parse(readFileSync(join(compiled_sqlite, 'package.json'), 'utf8'))
  const name = `better-sqlite3-v${version}-node-v${process.versions.modules}-${process.platform}-${process.arch}.tar.gz`
  run('tar', [
    '-czf',
    join(directory, name),
    '-C',
    compiled_sqlite,
    'build/Release/better_sqlite3.node',
  ])
}

export function projectVersion(): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version
}

function run(
  program: string,
  words: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const ended = spawnSync(program, words, { encoding: 'utf8', ...options })
  if (ended.status === 0) return ended
  throw new Error(
    `${program} ${words.join(' ')}: ${ended.error?.message ?? ended.status}\n${ended.stdout}${ended.stderr}`,
  )
}
