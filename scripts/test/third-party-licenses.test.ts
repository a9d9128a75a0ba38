import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'tsdown'
import { expect, test } from 'vitest'
import { thirdPartyLicenses } from '../packages/third-party-licenses.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Bundles a module that imports one package, and returns the file with the licenses. */
async function bundleWith(license: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder()
  const installed = path.join(folder, 'node_modules', 'left')
  await mkdir(installed, { recursive: true })
  const manifest = { name: 'left', version: '1.2.3', license, type: 'module', main: 'index.js' }
  const all = {
    'package.json': JSON.stringify(manifest),
    'index.js': 'export const left = 1',
    ...files,
  }
  for (const [name, text] of Object.entries(all)) await writeFile(path.join(installed, name), text)
  await writeFile(path.join(folder, 'entry.js'), `export { left } from 'left'`)
  const [bundle] = await build({
    cwd: folder,
    config: false,
    entry: 'entry.js',
    dts: false,
    logLevel: 'silent',
    write: false,
    deps: { alwaysBundle: /./u, onlyBundle: false },
    plugins: [thirdPartyLicenses('licenses.txt')],
  })
  const asset = bundle?.chunks.find(({ fileName }) => fileName === 'licenses.txt')
  return asset?.type === 'asset' ? String(asset.source) : ''
}

test('the notice of a bundled package is in the file beside the bundle', async () => {
  const notice = await bundleWith('MIT', { 'LICENSE-MIT.txt': 'Copyright Ada' })
  expect(notice).toContain('left 1.2.3\n\nCopyright Ada\n')
})

test('a package without a license file is not bundled', async () => {
  await expect(bundleWith('MIT', {})).rejects.toThrow('left has no license file')
})

test('a package whose license requires more than a notice is not bundled', async () => {
  await expect(bundleWith('GPL-3.0-only', { LICENSE: 'GPL' })).rejects.toThrow('left is under GPL-3.0-only')
})
