// Takes a picture of every situation of the activation window, light and dark, on real Electron:
//   node packages/electron/scripts/picture-situations.ts [--folder …] [--locale de] [--scale 1.5] [--accent red] [situation …]
// Without --folder it renews the pictures of the docs.

import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { useDesktop } from '@latchkey/scripts/e2e/electron-environment'
import { prepareDesktop } from '@latchkey/scripts/e2e/runtime/desktop'
import { ensureSystemPackages, fontNeeds } from '@latchkey/scripts/e2e/runtime/system-packages'
import { logo } from '../test/dialog/stage/logo.ts'
import { openStage } from '../test/dialog/stage/open-stage.ts'
import { situations } from '../test/dialog/stage/situations.ts'

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
