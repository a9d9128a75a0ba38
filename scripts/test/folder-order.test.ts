import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { repositoryRoot } from '../workspace/repository.ts'

/** The files at the top of a folder. */
const top = '.'

/** Which neighbors a folder's files may import. A folder without a row, or an import without an entry, fails. */
const allowedNeighbors: Record<string, Record<string, readonly string[]>> = {
  'packages/electron/src/main': {
    [top]: ['options', 'adapters', 'window', 'ipc', 'app-events', 'diagnosis'],
    options: [top],
    adapters: [top, 'options'],
    window: [top, 'options', 'adapters'],
    ipc: [top, 'options'],
    'app-events': [top],
    diagnosis: [top, 'options', 'adapters'],
  },
  'packages/electron/src/core': {
    [top]: ['ports', 'time', 'record', 'state', 'operations'],
    ports: [],
    time: ['ports'],
    record: [top, 'ports', 'time'],
    state: [top, 'ports', 'record'],
    service: [top, 'ports', 'record', 'state'],
    operations: [top, 'ports', 'record', 'state', 'service'],
  },
  'packages/commerce/src': {
    [top]: ['errors', 'formats', 'http', 'lists', 'licenses'],
    errors: [],
    formats: [],
    http: ['errors'],
    lists: ['errors', 'formats', 'http'],
    licenses: ['errors', 'formats', 'http', 'lists'],
    node: ['http'],
  },
  'packages/gateway/src': {
    [top]: ['http', 'leases', 'licenses', 'limits', 'offline', 'options', 'upstreams'],
    http: [top, 'leases', 'offline'],
    leases: [top, 'http'],
    licenses: ['http', 'leases'],
    limits: [top, 'http', 'options'],
    upstreams: [top, 'http', 'leases', 'licenses'],
    offline: [top, 'http', 'leases', 'licenses', 'limits', 'upstreams'],
    options: ['leases'],
    node: [top, 'http', 'leases', 'limits', 'options', 'upstreams'],
  },
}

/** Folders of tests, each with the sources whose folders they repeat and the further folders they may have. */
const testsBesideSources: Record<string, { readonly sources: string; readonly others: readonly string[] }> = {
  'packages/electron/test/core': {
    sources: 'packages/electron/src/core',
    others: ['matrix', 'process', 'properties'],
  },
  'packages/commerce/test': { sources: 'packages/commerce/src', others: [] },
}

/** The only files at the top that a subfolder may import. Those that import subfolders are imported as types. */
const topFilesForAll = [
  'origin.ts',
  'runtime.ts',
  'licensing.ts',
  'licensing-core.ts',
  'licensing-session.ts',
  'problem.ts',
  'create-gateway.ts',
  'gateway-codes.ts',
  'gateway-config-error.ts',
  'gateway-options.ts',
  'make-room.ts',
  'sha256.ts',
]

interface Import {
  readonly from: string
  readonly to: string
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
}

function importsWithin(folder: string): readonly Import[] {
  return sourceFiles(folder).flatMap((from) => {
    const text = readFileSync(path.join(folder, from), 'utf8')
    return [...text.matchAll(/(?:from |import\()'(\.[^']+)'/g)].flatMap(([, target = '']) => {
      const to = path.normalize(path.join(path.dirname(from), target))
      return to.startsWith('..') ? [] : [{ from, to }]
    })
  })
}

/** Folders with more than about a dozen files, each with their number. */
function crowdedFolders(folder: string): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const file of sourceFiles(folder)) {
    const name = path.dirname(file)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].filter(([, count]) => count > 14)
}

function folderOf(file: string): string {
  return path.dirname(file).split(path.sep)[0] ?? top
}

describe.each(Object.entries(allowedNeighbors))('the folders of %s', (root, rows) => {
  const folder = path.join(repositoryRoot, root)

  test('each have a row in the table', () => {
    expect([...new Set(sourceFiles(folder).map(folderOf))].toSorted()).toEqual(Object.keys(rows).toSorted())
  })

  test('import only the folders they may', () => {
    const wrong = importsWithin(folder).filter(({ from, to }) => {
      const target = folderOf(to)
      if (folderOf(from) === target) return false
      if (target === top && !topFilesForAll.includes(to)) return true
      return rows[folderOf(from)]?.includes(target) !== true
    })
    expect(wrong).toEqual([])
  })

  test('contain at most about a dozen files', () => {
    expect(crowdedFolders(folder)).toEqual([])
  })
})

describe.each(Object.entries(testsBesideSources))('the tests in %s', (root, { sources, others }) => {
  const folder = path.join(repositoryRoot, root)

  test('are in the folders of what they test', () => {
    const allowed = [...Object.keys(allowedNeighbors[sources] ?? {}), ...others]
    const tests = sourceFiles(folder).filter((name) => name.endsWith('.test.ts'))
    expect(tests.filter((name) => !allowed.includes(folderOf(name)) || folderOf(name) === top)).toEqual([])
  })

  test('are about a dozen in each folder', () => {
    expect(crowdedFolders(folder)).toEqual([])
  })
})
