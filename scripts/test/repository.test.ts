import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf, readBlocks } from '../docs/pages.ts'
import { repositoryRoot } from '../workspace/repository.ts'

const read = (file: string): string => readFileSync(path.join(repositoryRoot, file), 'utf8')
const git = (...args: readonly string[]): string[] => {
  try {
    return execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8', stdio: 'pipe' }).split('\0')
  } catch {
    // In an unpacked archive there is no list of tracked files.
    return []
  }
}

test('lockfile and settings work with any registry', () => {
  const lockfile = read('pnpm-lock.yaml').replace(/^\s+deprecated:.*$/gmu, '')
  expect(lockfile).not.toMatch(/https?:\/\/|tarball:/u)
  for (const file of ['.npmrc', 'pnpm-workspace.yaml'])
    expect(read(file)).not.toMatch(/registry|https?:\/\//iu)
})

test('every action of a workflow is pinned to a commit', () => {
  const used = Array.from(read('.github/workflows/ci.yml').matchAll(/uses: (\S+)/gu), ([, action]) => action)
  expect(used.length).toBeGreaterThan(0)
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/u)
})

/** An absolute path in a folder that people and CI machines use for their work. */
const machinePath = new RegExp(`(?<![\\w.~/-])/(?:${['home', 'root', 'Users', 'work'].join('|')})/[\\w.-]+/`)

test('no tracked file contains a path of a developer’s machine', () => {
  const findings = git('ls-files', '-z').filter((file) => {
    try {
      return file !== '' && machinePath.test(read(file))
    } catch {
      return false
    }
  })
  expect(findings).toEqual([])
})

const folder = path.join(repositoryRoot, 'examples', 'minimal')

// After a change of the page, `npx pnpm unit repository -u` writes the example's files.
test('the minimal example is the app of the first page', async () => {
  const blocks = await readBlocks('docs/start.md')
  const written = ['README.md', 'package.json']
  for (const { fileName, code } of blocks) {
    if (fileName === null || fileName === 'package.json') continue
    written.push(fileName)
    await expect(`${code.trimEnd()}\n`).toMatchFileSnapshot(path.join(folder, fileName))
  }
  const { devDependencies, ...manifest } = JSON.parse(read('examples/minimal/package.json'))
  expect(manifest).toEqual(JSON.parse(blocks.find(({ fileName }) => fileName === 'package.json')?.code ?? ''))
  const install = commandsOf(blocks).find((command) => command.startsWith('npm install --save-dev '))
  expect(Object.keys(devDependencies)).toEqual(install?.split(' ').slice(3).sort())

  const options = { cwd: folder, exclude: ['node_modules', 'out'] }
  for await (const file of glob('**/*.*', options)) expect(written).toContain(file.replaceAll(path.sep, '/'))
})

/** Starts a command with a Node that reports another version, which only the check reads. */
function startUnder(version: string, name: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const bin = path.join(
    repositoryRoot,
    'packages',
    name,
    'src',
    name === 'gateway' ? 'node/bin.ts' : 'bin.ts',
  )
  const hooks = path.join(repositoryRoot, 'packages/gateway/test/run-from-sources.ts')
  const args = ['--import', hooks, '--import', `data:text/javascript,${pretend}`, bin, '--help']
  return spawnSync(process.execPath, args, { encoding: 'utf8' })
}

test.each([
  ['cli', 'latchkey'],
  ['gateway', 'latchkey-gateway'],
  ['emulator', 'latchkey-emulator'],
])('the command of @latchkey/%s names the Node it needs when Node is too old', (name, command) => {
  const oldest = JSON.parse(read(`packages/${name}/package.json`)).engines.node.replace('>=', '')
  const { status, stderr, stdout } = startUnder('18.20.4', name)
  expect(stderr).toBe(`${command} needs Node ${oldest} or newer, and this is 18.20.4: update Node.\n`)
  // With 1, `latchkey` says that the answer is no.
  expect([status, stdout]).toEqual([name === 'cli' ? 2 : 1, ''])
})
