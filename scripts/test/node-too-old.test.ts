import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { repositoryRoot } from '../workspace/repository.ts'

const manifestSchema = z.object({ engines: z.object({ node: z.string() }) })

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

describe.each([
  ['cli', 'latchkey'],
  ['gateway', 'latchkey-gateway'],
  ['emulator', 'latchkey-emulator'],
])('the command of @latchkey/%s', (name, command) => {
  const manifest = readFileSync(path.join(repositoryRoot, 'packages', name, 'package.json'), 'utf8')
  const oldest = manifestSchema.parse(JSON.parse(manifest)).engines.node.replace('>=', '')

  test('names the Node it needs when Node is too old', () => {
    const { status, stderr, stdout } = startUnder('18.20.4', name)
    expect(stderr).toBe(`${command} needs Node ${oldest} or newer, and this is 18.20.4: update Node.\n`)
    // With 1, `latchkey` says that the answer is no.
    expect([status, stdout]).toEqual([name === 'cli' ? 2 : 1, ''])
  })
})
