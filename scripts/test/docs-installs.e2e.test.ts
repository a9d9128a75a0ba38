import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readBlocks } from '../docs/pages.ts'
import { useLocalRegistry } from '../packages/local-registry.ts'

const run = promisify(execFile)
const isLongRun = process.env['LATCHKEY_LONG'] === '1'
const commands = (await readBlocks())
  .filter(({ language, note, code }) => language === 'sh' && note === '' && /^npm install /mu.test(code))
  .map(({ code }) => code)
// Every other page installs a part of what the first page does, or what other tests install.
const scripts = [...new Set(commands)].filter((code) => isLongRun || code.includes('npm init'))

const registry = useLocalRegistry()

test('there are packages to install', () => {
  expect(commands.length).toBeGreaterThan(4)
  expect(scripts.length).toBeGreaterThan(0)
})

// Each runs as a reader types it, in its own folder. Our packages come from a registry of the test.
test.skipIf(process.platform === 'win32').concurrent.each(scripts)('%s', async (script) => {
  const project = await mkdtemp(path.join(registry.folder, 'project-'))
  const home = path.join(project, 'global')
  await mkdir(home)
  const npmrc = path.join(home, 'npmrc')
  await writeFile(npmrc, `@latchkey:registry=${registry.url}\nprefix=${home}\n${await ownNpmrc()}`)
  const entries = Object.entries(process.env).filter(([name]) => !/^(?:npm_|pnpm_)/iu.test(name))
  const env = { ...Object.fromEntries(entries), NPM_CONFIG_USERCONFIG: npmrc }
  await run('sh', ['-e', '-c', script], { cwd: project, env, maxBuffer: 16 * 1024 * 1024 })

  const isGlobal = script.includes('--global')
  const place = script.includes('cd notes') ? path.join(project, 'notes') : project
  const modules = isGlobal ? path.join(home, 'lib', 'node_modules') : path.join(place, 'node_modules')
  const packages = [...script.matchAll(/@latchkey\/\w+/gu)].map(([name]) => name)
  expect(packages.length).toBeGreaterThan(0)
  for (const name of packages) await access(path.join(modules, name, 'package.json'))
  if (isGlobal) {
    const { stdout } = await run(path.join(home, 'bin', 'latchkey'), ['--version'])
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/u)
  }
})

/** The registry that this machine uses. */
async function ownNpmrc(): Promise<string> {
  return await readFile(path.join(os.homedir(), '.npmrc'), 'utf8').catch(() => '')
}
