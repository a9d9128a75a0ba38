import { resolve } from 'node:path'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'

// The oldest Electron that Latchkey supports: 25 runs Chrome 114 and Node 18.
const oldest = { node: 'node18.15', chrome: 'chrome114' }

// In development, pages receive updates over a web socket. The built page has no network access.
const allowDevSocket: Plugin = {
  name: 'allow-dev-socket',
  apply: 'serve',
  transformIndexHtml: (html) => html.replace("default-src 'none';", '$& connect-src ws://localhost:*;'),
}

// `--mode bare` builds the same notebook without Latchkey, to measure what Latchkey adds to a launch.
export default defineConfig(({ mode }) => {
  const bare = mode === 'bare'
  const outDir = bare ? 'out-bare' : 'out'
  const entry = (licensed: string, plain: string) => resolve(import.meta.dirname, bare ? plain : licensed)

  // Electron 25 doesn't support ES modules in its main process, and a sandboxed preload script never can. Both are
  // bundled completely, as CommonJS, so that they need nothing from node_modules at run time.
  const commonJs = (input: string, name: string) => ({
    externalizeDeps: false,
    target: oldest.node,
    // A launch compiles all of this, so keep it small.
    minify: true,
    outDir: `${outDir}/${name}`,
    rollupOptions: { input, output: { format: 'cjs' as const, entryFileNames: 'index.cjs' } },
  })

  return {
    main: { build: commonJs(entry('src/main/index.ts', 'bare/main.ts'), 'main') },
    preload: { build: commonJs(entry('src/preload/index.ts', 'bare/preload.ts'), 'preload') },
    renderer: {
      root: bare ? 'bare' : 'src/renderer',
      plugins: [allowDevSocket],
      build: {
        target: oldest.chrome,
        outDir: `${outDir}/renderer`,
        modulePreload: false,
        rollupOptions: { input: entry('src/renderer/index.html', 'bare/index.html') },
      },
    },
  }
})
