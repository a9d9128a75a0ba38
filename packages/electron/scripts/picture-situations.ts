// Takes a picture of every situation of the activation window, light and dark, on real Electron:
//   node packages/electron/scripts/picture-situations.ts [--folder …] [--locale de] [--scale 1.5] [--accent red] [situation …]
// Without --folder it renews the pictures of the docs.

import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { useDesktop } from '@latchkey/scripts/e2e/electron-environment'
import { prepareDesktop } from '@latchkey/scripts/e2e/runtime/desktop'
import { ensureSystemPackages, fontNeeds } from '@latchkey/scripts/e2e/runtime/system-packages'
import { openStage } from '../test/dialog/stage/open-stage.ts'
import { situations } from '../test/dialog/stage/situations.ts'

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80">
<defs>
<linearGradient id="ink" x1=".2" y1="0" x2=".8" y2="1"><stop stop-color="#5a9bff"/><stop offset=".5" stop-color="#3a5bf2"/><stop offset="1" stop-color="#6b35e6"/></linearGradient>
<linearGradient id="rim" x1="0" y1="0" x2="0" y2="1"><stop stop-color="#fff" stop-opacity=".55"/><stop offset=".4" stop-color="#fff" stop-opacity="0"/></linearGradient>
<linearGradient id="nib" x1="0" y1="0" x2="0" y2="1"><stop stop-color="#fff"/><stop offset="1" stop-color="#d9e2ff"/></linearGradient>
</defs>
<path d="M0 26C0 8 8 0 26 0h28c18 0 26 8 26 26v28c0 18-8 26-26 26H26C8 80 0 72 0 54z" fill="url(#ink)"/>
<path d="M.75 26C.75 8.500 8.500 .75 26 .75h28c17.500 0 25.250 7.750 25.250 25.250v28c0 17.500-7.750 25.250-25.250 25.250H26C8.500 79.250 .75 71.500 .75 54z" fill="none" stroke="url(#rim)" stroke-width="1.500"/>
<path d="M31 15h18c.8 8.500 3.200 14.500 8 21.500L42.400 63.500a2.750 2.750 0 0 1-4.800 0L23 36.500c4.800-7 7.200-13 8-21.500z" fill="url(#nib)"/>
<path d="M40 62V42" stroke="#3a4fe6" stroke-width="2.500" stroke-linecap="round"/>
<circle cx="40" cy="38" r="4.500" fill="#3a4fe6"/>
</svg>`

/** Logo of an app called Inkpad. */
const logo: string = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: {
      type: 'string',
      default: path.join(import.meta.dirname, '../../../docs/public/activation-screen'),
    },
    locale: { type: 'string', default: 'en' },
    scale: { type: 'string', default: '1' },
    accent: { type: 'string' },
  },
})
const { folder, locale, scale, accent } = values
const names = positionals.length > 0 ? positionals : Object.keys(situations)

await mkdir(folder, { recursive: true })
await ensureSystemPackages(fontNeeds)
const desktop = await prepareDesktop()
useDesktop(desktop)
const stage = await openStage({ switches: [`--force-device-scale-factor=${scale}`] })
for (const theme of ['light', 'dark'] as const) {
  for (const name of names) {
    await stage.show(name, { theme, locale, logo, ...(accent !== undefined && { accent }) })
    await stage.fit()
    await stage.page.screenshot({ path: path.join(folder, `${name}-${theme}.png`) })
  }
}
await stage.close()
await desktop.display.close()
process.stdout.write(`${names.length * 2} pictures are in ${folder}\n`)
process.exit()
