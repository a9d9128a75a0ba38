import { build } from 'esbuild'

const processes = { bundle: true, platform: 'node', format: 'cjs', target: 'node18', external: ['electron'] }
await build({ entryPoints: ['main.ts'], outfile: 'out/main.cjs', ...processes })
await build({ entryPoints: ['preload.ts'], outfile: 'out/preload.cjs', ...processes })
await build({ entryPoints: ['page.ts'], outfile: 'out/page.js', bundle: true, format: 'esm' })
