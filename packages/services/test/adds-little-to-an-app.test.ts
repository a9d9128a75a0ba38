import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Metafile, type Plugin } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { serviceNames } from './faces.ts'

const sources = path.resolve(import.meta.dirname, '../src')

/** Files that all adapters share: requests, texts, outcomes. They aren't counted. */
const withoutShared: Plugin = {
  name: 'without-shared',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/(?:http|text|contract)\// }, ({ path: name }) => ({
      path: name,
      external: true,
    }))
  },
}

interface Bundle {
  /** Bytes loaded with the adapter, minified and gzipped. */
  readonly bytes: number
  /** The code loaded with the adapter, minified. */
  readonly code: string
  readonly inputs: readonly string[]
}

/** Bundles an adapter for an app that already has the commerce client and zod. Code loaded on demand is a separate file. */
async function bundle(name: string, plugins: Plugin[] = []): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [path.join(sources, name, 'index.ts')],
    outdir: path.join(sources, 'never-written'),
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    external: ['@latchkey/commerce', 'zod', 'zod/*'],
    plugins,
  })
  const loaded = loadedWith(metafile)
  const texts = Object.keys(metafile.outputs).flatMap((file, index) =>
    loaded.has(file) ? [outputFiles[index]?.text ?? ''] : [],
  )
  expect(texts.length).toBeGreaterThan(0)
  const code = texts.join('\n')
  return { bytes: gzipSync(code).length, code, inputs: Object.keys(metafile.inputs) }
}

/** The entry and its static imports. */
function loadedWith({ outputs }: Metafile): ReadonlySet<string> {
  const files = Object.keys(outputs).filter((file) => outputs[file]?.entryPoint?.endsWith('/index.ts'))
  for (const file of files) {
    for (const { path: imported, kind } of outputs[file]?.imports ?? []) {
      const isNew = kind === 'import-statement' && imported in outputs && !files.includes(imported)
      if (isNew) files.push(imported)
    }
  }
  return new Set(files)
}

describe.each(serviceNames)('%s', (name) => {
  it('adds at most 4 kB to the code that all adapters share', async () => {
    expect((await bundle(name, [withoutShared])).bytes).toBeLessThanOrEqual(4096)
  })

  it('is small even with the shared code', async () => {
    expect((await bundle(name)).bytes).toBeLessThanOrEqual(name === 'keygen' ? 5632 : 4608)
  })

  it('has no literal with a property of Unicode, which V8 would look up at every launch', async () => {
    expect((await bundle(name)).code).not.toMatch(/(?<!\\)\\p\{/u)
  })

  it('includes no other adapter and no Node code', async () => {
    const { inputs } = await bundle(name)
    const others = serviceNames.filter((other) => other !== name)
    expect(inputs.filter((input) => others.some((other) => input.includes(`/src/${other}/`)))).toEqual([])
    expect(inputs.every((input) => input.includes('services/src/'))).toBe(true)
  })
})
