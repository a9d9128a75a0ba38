// Takes a picture of every situation of the activation screen, light and dark, on real Electron:
//   node packages/electron/scripts/picture-situations.ts [folder] [locale] [situation …]

import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { useDesktop } from '@latchkey/scripts/e2e/electron-environment'
import { prepareDesktop } from '@latchkey/scripts/e2e/runtime/desktop'
import { logo } from '../test/dialog/stage/logo.ts'
import { openStage } from '../test/dialog/stage/open-stage.ts'
import { situations } from '../test/dialog/stage/situations.ts'

const [
  folder = path.join(import.meta.dirname, '../../../docs/public/activation-screen'),
  locale = 'en',
  ...chosen
] = process.argv.slice(2)
const names = chosen.length > 0 ? chosen : Object.keys(situations)

await mkdir(folder, { recursive: true })
const desktop = await prepareDesktop()
useDesktop(desktop)
const stage = await openStage()
for (const theme of ['light', 'dark'] as const) {
  for (const name of names) {
    await stage.show(name, { theme, locale, logo })
    await stage.fit()
    await stage.page.screenshot({ path: path.join(folder, `${name}-${theme}.png`) })
  }
}
await stage.close()
await desktop.display.close()
process.stdout.write(`${names.length * 2} pictures are in ${folder}\n`)
process.exit()
