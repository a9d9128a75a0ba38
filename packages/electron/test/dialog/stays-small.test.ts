import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { squeezeWithEsbuild } from '../../scripts/squeeze-styles.ts'

test('the screen in English is at most 20 kB gzipped, each further language at most 4 kB, the rest loads on demand', async () => {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, '../../src/dialog/index.ts')],
    outdir: 'unused',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'chrome114',
    charset: 'utf8',
    minify: true,
    legalComments: 'none',
    write: false,
    plugins: [squeezeWithEsbuild],
  })
  const bytes = new Map(
    outputFiles.map(({ path: file, text }) => [path.basename(file), gzipSync(text, { level: 9 }).length]),
  )
  expect(bytes.get('index.js')).toBeLessThanOrEqual(20_000)
  const english = outputFiles.find(({ text }) => text.includes('Paste the license key from'))
  expect(path.basename(english?.path ?? '')).toBe('index.js')
  bytes.delete('index.js')
  expect(bytes.size).toBeGreaterThanOrEqual(11)
  // Activation without internet, and the library that draws its QR code.
  const larger: Readonly<Record<string, number>> = { 'offline-screen': 5_000, qr: 7_000 }
  for (const [file, size] of bytes) {
    expect(size, file).toBeLessThanOrEqual(larger[file.replace(/-[^-]*$/u, '')] ?? 4_000)
  }
})
