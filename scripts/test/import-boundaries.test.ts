import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { repositoryRoot } from '../workspace/repository.ts'

type Room = 'shared' | 'core' | 'main' | 'preload' | 'renderer' | 'dialog' | 'testing'

/** What each folder may import and must not import, with a line for everything a rule could miss. */
const rooms: Record<Room, { allowed: string[]; forbidden: string[] }> = {
  shared: {
    allowed: ['./state.ts', 'zod/mini'],
    forbidden: [
      '../core/x.ts',
      '../main/x.ts',
      '../preload/x.ts',
      'electron',
      'node:fs',
      '@latchkey/commerce',
    ],
  },
  core: {
    allowed: ['./x.ts', '../shared/x.ts', '@latchkey/commerce'],
    forbidden: [
      '../main/x.ts',
      '../preload/x.ts',
      '../renderer/x.ts',
      '../dialog/x.ts',
      'electron',
      'electron/main',
      'node:fs',
      'electron-store',
      'node-machine-id',
      'lit',
    ],
  },
  main: {
    allowed: [
      '../core/x.ts',
      '../shared/x.ts',
      'electron',
      'node:fs',
      'electron-store',
      '@latchkey/commerce',
    ],
    forbidden: ['../preload/x.ts', '../renderer/x.ts', '../dialog/x.ts', 'lit', 'lit/decorators.js'],
  },
  preload: {
    allowed: ['../shared/x.ts', 'electron', 'zod/mini'],
    forbidden: [
      '../core/x.ts',
      '../main/x.ts',
      '../renderer/x.ts',
      '../dialog/x.ts',
      'node:fs',
      '@latchkey/commerce',
    ],
  },
  renderer: {
    allowed: ['../shared/x.ts'],
    forbidden: [
      '../core/x.ts',
      '../main/x.ts',
      '../preload/x.ts',
      '../dialog/x.ts',
      'electron',
      'node:fs',
      'lit',
      '@latchkey/commerce',
    ],
  },
  dialog: {
    allowed: ['../renderer/x.ts', '../shared/x.ts'],
    forbidden: [
      '../core/x.ts',
      '../main/x.ts',
      '../preload/x.ts',
      'lit',
      'lit/html.js',
      'electron',
      'node:fs',
      'electron-store',
      '@latchkey/commerce',
    ],
  },
  testing: {
    allowed: ['../core/x.ts', '../main/x.ts', '../renderer/x.ts', '../shared/x.ts'],
    forbidden: [
      '../preload/x.ts',
      '../dialog/x.ts',
      'electron',
      'node:fs',
      'electron-store',
      'lit',
      '@latchkey/commerce',
    ],
  },
}
const toolPackages = ['@latchkey/emulator', '@latchkey/gateway', '@latchkey/cli', '@latchkey/electron/main']
const otherHouses = ['commerce', 'services', 'emulator', 'gateway', 'cli']

const reportSchema = z.object({
  diagnostics: z.array(z.object({ category: z.string(), location: z.object({ path: z.string() }) })),
})

/** A copy of the folders with one file for each import, linted once with the real rules. */
let folder: string
let complaints: ReadonlySet<string>
const files = new Map<string, string>()

function caseFile(sourceFolder: string, index: number, kind: string): string {
  return `${sourceFolder}/${kind}-${index}.ts`
}

beforeAll(async () => {
  for (const [room, { allowed, forbidden }] of Object.entries(rooms)) {
    const source = `packages/electron/src/${room}`
    allowed.forEach((name, index) => {
      files.set(caseFile(source, index, 'allowed'), `import * as it from '${name}'\nexport { it }\n`)
    })
    ;[...forbidden, ...toolPackages].forEach((name, index) => {
      files.set(caseFile(source, index, 'forbidden'), `import * as it from '${name}'\nexport { it }\n`)
    })
  }
  for (const house of otherHouses) {
    toolPackages.forEach((name, index) => {
      files.set(caseFile(`packages/${house}/src`, index, 'forbidden'), `export * from '${name}'\n`)
    })
    files.set(caseFile(`packages/${house}/src`, 0, 'allowed'), `export * from '@latchkey/commerce'\n`)
  }
  files.set('packages/electron/src/core/type-import.ts', `export type { App } from 'electron'\n`)
  files.set('packages/electron/src/core/dynamic-import.ts', `export const it: unknown = import('electron')\n`)
  files.set('packages/electron/src/core/clock.ts', 'export const now: number = Date.now()\n')
  files.set('packages/services/src/node-import.ts', `export * from 'node:fs'\n`)
  files.set('packages/gateway/src/node-import.ts', `export * from 'node:fs'\n`)
  files.set('packages/gateway/src/leases/folder-import.ts', `export * from '../node/http/listen.ts'\n`)
  files.set('packages/gateway/src/node/node-import.ts', `export * from 'node:fs'\n`)
  files.set('packages/services/src/electron-import.ts', `export type { App } from 'electron'\n`)
  files.set(
    'packages/electron/test/test-file.ts',
    `import * as it from '@latchkey/emulator'\nexport { it }\n`,
  )
  files.set('examples/some-app/src/main.ts', `import * as it from '@latchkey/emulator'\nexport { it }\n`)

  folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-lint-'))
  for (const name of ['biome.json', '.gitignore']) {
    await copyFile(path.join(repositoryRoot, name), path.join(folder, name))
  }
  for (const [file, content] of files) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true })
    await writeFile(path.join(folder, file), content)
  }
  const report = reportSchema.parse(JSON.parse(await lint(folder)))
  complaints = new Set(
    report.diagnostics
      .filter(({ category }) => /noRestricted(Imports|Globals)$/.test(category))
      .map(({ location }) => location.path.replaceAll('\\', '/')),
  )
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** Biome exits with an error if it finds a problem. Its report is always on stdout. */
function lint(cwd: string): Promise<string> {
  const require = createRequire(path.join(repositoryRoot, 'package.json'))
  const biome = path.join(path.dirname(require.resolve('@biomejs/biome/package.json')), 'bin', 'biome')
  const args = [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.']
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout) =>
      resolve(stdout),
    )
  })
}

describe.each(Object.entries(rooms))('%s/', (room, { allowed, forbidden }) => {
  const source = `packages/electron/src/${room}`
  test.each(allowed.map((name, index) => ({ name, index })))('may import $name', ({ index }) => {
    expect(complaints).not.toContain(caseFile(source, index, 'allowed'))
  })
  test.each([...forbidden, ...toolPackages].map((name, index) => ({ name, index })))(
    'must not import $name',
    ({ index }) => {
      expect(complaints).toContain(caseFile(source, index, 'forbidden'))
    },
  )
})

describe.each(otherHouses)('packages/%s', (house) => {
  test.each(toolPackages.map((name, index) => ({ name, index })))('must not import $name', ({ index }) => {
    expect(complaints).toContain(caseFile(`packages/${house}/src`, index, 'forbidden'))
  })
  test('may import @latchkey/commerce', () => {
    expect(complaints).not.toContain(caseFile(`packages/${house}/src`, 0, 'allowed'))
  })
})

test('the rule includes type imports and dynamic imports', () => {
  expect(complaints).toContain('packages/electron/src/core/type-import.ts')
  expect(complaints).toContain('packages/electron/src/core/dynamic-import.ts')
})

test('the adapters of licensing services import neither Node nor Electron', () => {
  expect(complaints).toContain('packages/services/src/node-import.ts')
  expect(complaints).toContain('packages/services/src/electron-import.ts')
})

test('the gateway imports Node only in its folder for Node', () => {
  expect(complaints).toContain('packages/gateway/src/node-import.ts')
  expect(complaints).toContain('packages/gateway/src/leases/folder-import.ts')
  expect(complaints).not.toContain('packages/gateway/src/node/node-import.ts')
})

test('core has no clock of its own', () => {
  expect(complaints).toContain('packages/electron/src/core/clock.ts')
})

test('tests and examples may use the emulator', () => {
  expect(complaints).not.toContain('packages/electron/test/test-file.ts')
  expect(complaints).not.toContain('examples/some-app/src/main.ts')
})
