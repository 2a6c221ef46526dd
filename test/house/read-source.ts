import { parseSync, visitorKeys } from 'oxc-parser'

/** The facts about one source file that the rules need. */
export interface SourceFacts {
  /** Every module it names, whether by import, type import, re-export, import() or as a thread. */
  imports: ImportFact[]
  /**
   * Guarded globals that it uses, in their plain form: `process.env`, `Date.now`, `setTimeout`,
   * `new Worker`.
   */
  uses: string[]
  has_default_export: boolean
  /**
   * Code that cannot be followed and is therefore forbidden: computed imports, require, syntax
   * errors.
   */
  unreadable: string[]
}

export interface ImportFact {
  specifier: string
  kind: 'import' | 'lazy' | 'thread'
}

interface Node {
  type: string
  [field: string]: unknown
}

/** Globals that are reached through these objects are the same globals. */
const global_objects = new Set(['globalThis', 'global', 'window', 'self'])
const guarded_names = new Set([
  'setTimeout',
  'setInterval',
  'fetch',
  'WebSocket',
  'EventSource',
  'Date',
  'performance',
])

export function readSource(path: string, text: string): SourceFacts {
  const { program, errors } = parseSync(path, text, { lang: 'ts', sourceType: 'module' })
  const facts: SourceFacts = { imports: [], uses: [], has_default_export: false, unreadable: [] }
  for (const error of errors) facts.unreadable.push(`does not parse: ${error.message}`)
  walk(program as unknown as Node, undefined, '', (node, parent, field) => {
    readImports(node, parent, field, facts)
    readExports(node, facts)
    readUses(node, parent, field, facts)
  })
  return facts
}

function walk(
  node: Node,
  parent: Node | undefined,
  field: string,
  visit: (node: Node, parent: Node | undefined, field: string) => void,
): void {
  visit(node, parent, field)
  for (const key of visitorKeys[node.type] ?? []) {
    const value = node[key]
    if (Array.isArray(value))
      for (const child of value) if (child) walk(child as Node, node, key, visit)
    if (value && !Array.isArray(value)) walk(value as Node, node, key, visit)
  }
}

function readImports(
  node: Node,
  parent: Node | undefined,
  field: string,
  facts: SourceFacts,
): void {
  const source = node.source as Node | null | undefined
  switch (node.type) {
    case 'ImportDeclaration':
      follow(source, 'import', facts)
      for (const name of importedNames(node))
        facts.uses.push(...usesOfModule(String(source?.value), name))
      return
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      if (source) follow(source, 'import', facts)
      facts.uses.push(...usesOfModule(String(source?.value), '*'))
      return
    case 'ImportExpression':
      follow(source, 'lazy', facts)
      facts.uses.push(...usesOfModule(String(source?.value), '*'))
      return
    case 'TSImportType':
      follow(source ?? (node.argument as Node), 'import', facts)
      return
    case 'TSImportEqualsDeclaration':
      facts.unreadable.push('uses import = require()')
      return
    case 'CallExpression':
      readCall(node, parent?.type === 'CallExpression' && field === 'callee', facts)
  }
}

/** `createRequire(import.meta.url)('module')`, written in one expression, counts as an import. */
function readCall(node: Node, is_called_at_once: boolean, facts: SourceFacts): void {
  const callee = node.callee as Node
  const name = callee.name
  const [first] = node.arguments as Node[]
  const makes_require = name === 'createRequire' && is_called_at_once
  if (name === 'require' || (name === 'createRequire' && !makes_require))
    facts.unreadable.push(`uses ${name}()`)
  const made_by = callee.type === 'CallExpression' ? (callee.callee as Node).name : undefined
  if (made_by === 'createRequire') {
    follow(first, 'import', facts)
    facts.uses.push(...usesOfModule(String(first?.value), '*'))
  }
  if (name === 'startThread') follow(first, 'thread', facts)
}

function follow(
  target: Node | undefined | null,
  kind: ImportFact['kind'],
  facts: SourceFacts,
): void {
  const literal = target?.type === 'TSLiteralType' ? (target.literal as Node) : target
  const value = literal?.type === 'Literal' ? literal.value : undefined
  if (typeof value === 'string') facts.imports.push({ specifier: value, kind })
  else facts.unreadable.push(`names a ${kind} by something other than a plain string`)
}

function importedNames(node: Node): string[] {
  return (node.specifiers as Node[]).map((specifier) => {
    if (specifier.type !== 'ImportSpecifier') return '*'
    const imported = specifier.imported as Node
    return String(imported.name ?? imported.value)
  })
}

/** A synchronous call of node:fs, or a namespace that has them. */
export const sync_fs_use = 'synchronous calls of node:fs'

/** Imports that bring in what is otherwise a global, or what is guarded. */
function usesOfModule(module: string, name: string): string[] {
  const plain = module.replace(/^node:/, '')
  if (plain === 'process') return name === '*' ? ['process passed on'] : [`process.${name}`]
  if (plain === 'timers' || plain === 'timers/promises') return ['setTimeout']
  if (plain === 'perf_hooks') return ['performance.now']
  if (plain === 'fs' && (name === '*' || name === 'default' || name.endsWith('Sync')))
    return [sync_fs_use]
  return []
}

function readExports(node: Node, facts: SourceFacts): void {
  if (node.type === 'ExportDefaultDeclaration' || node.type === 'TSExportAssignment')
    facts.has_default_export = true
  if (node.type === 'ExportSpecifier') {
    const exported = node.exported as Node
    if ((exported.name ?? exported.value) === 'default') facts.has_default_export = true
  }
}

function readUses(node: Node, parent: Node | undefined, field: string, facts: SourceFacts): void {
  if (node.type === 'MemberExpression') readMember(node, parent, facts)
  if (node.type !== 'Identifier' || !isReference(parent, field)) return
  const name = String(node.name)
  const is_object_of_member = parent?.type === 'MemberExpression' && field === 'object'
  const is_new = parent?.type === 'NewExpression' && field === 'callee'
  if (name === 'process' && !is_object_of_member) readProcessPassedOn(parent, facts)
  if (name === 'Worker' && is_new) facts.uses.push('new Worker')
  if (!guarded_names.has(name)) return
  if (name === 'Date') {
    // `new Date(ms)` only gives a time another form; without an argument it reads the clock.
    if (is_new && (parent.arguments as Node[]).length === 0) facts.uses.push('new Date()')
    if (parent?.type === 'CallExpression' && field === 'callee') facts.uses.push('Date()')
  } else if (name === 'performance') {
    if (!is_object_of_member) facts.uses.push('performance passed on')
  } else {
    facts.uses.push(name)
  }
}

function readMember(node: Node, parent: Node | undefined, facts: SourceFacts): void {
  const object = plainName(node.object as Node)
  const property = propertyName(node)
  if (object === undefined || property === undefined) return
  if (['process', 'Date', 'performance', 'AbortSignal'].includes(object)) {
    facts.uses.push(`${object}.${property}`)
    const [first] = parent?.type === 'CallExpression' ? (parent.arguments as Node[]) : []
    const names_signal = typeof first?.value === 'string' && first.value.startsWith('SIG')
    if (object === 'process' && /^(on|once|addListener)$/.test(property) && names_signal)
      facts.uses.push('signals')
  }
  const through_global = global_objects.has(object) && guarded_names.has(property)
  if (through_global && property !== 'Date' && property !== 'performance') facts.uses.push(property)
}

/** `process` and `globalThis.process` are both `process`. */
function plainName(node: Node): string | undefined {
  if (node.type === 'Identifier') return String(node.name)
  if (node.type !== 'MemberExpression') return undefined
  const object = plainName(node.object as Node)
  return object !== undefined && global_objects.has(object) ? propertyName(node) : undefined
}

function propertyName(node: Node): string | undefined {
  const property = node.property as Node
  if (!node.computed) return String(property.name)
  return typeof property.value === 'string' ? property.value : undefined
}

/**
 * `const { env } = process` reads process.env. Any other way of passing `process` on hides what is
 * read.
 */
function readProcessPassedOn(parent: Node | undefined, facts: SourceFacts): void {
  const pattern = parent?.type === 'VariableDeclarator' ? (parent.id as Node) : undefined
  if (pattern?.type !== 'ObjectPattern') {
    facts.uses.push('process passed on')
    return
  }
  for (const property of pattern.properties as Node[]) {
    const key = property.key as Node | undefined
    facts.uses.push(key ? `process.${String(key.name ?? key.value)}` : 'process passed on')
  }
}

/**
 * Returns whether this identifier uses a variable, and is not merely a name: of a property, a
 * method, or a parameter of a type.
 */
function isReference(parent: Node | undefined, field: string): boolean {
  if (!parent) return false
  if (parent.type === 'MemberExpression') return field === 'object' || parent.computed === true
  if (parent.type === 'Property') return field === 'value' || parent.computed === true
  if (/^(MethodDefinition|PropertyDefinition|AccessorProperty)$/.test(parent.type)) {
    return field !== 'key' || parent.computed === true
  }
  return !/^(TS(Property|Method)Signature|TSTypeReference|TSQualifiedName|ImportSpecifier|LabeledStatement)$/.test(
    parent.type,
  )
}
