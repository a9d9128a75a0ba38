// Takes a picture of every situation of the activation screen, light and dark, on real Electron:
//   node packages/electron/scripts/picture-situations.ts [folder] [locale]

import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { prepareDesktop } from '../../../scripts/desktop.ts'
import { useDesktop } from '../../../scripts/e2e/electron-environment.ts'
import { openStage } from '../test/dialog/stage/open-stage.ts'
import { situations } from '../test/dialog/stage/situations.ts'

const [folder = path.join(import.meta.dirname, '../../../docs/public/activation-screen'), locale = 'en'] =
  process.argv.slice(2)

await mkdir(folder, { recursive: true })
const desktop = await prepareDesktop()
useDesktop(desktop)
const stage = await openStage()
// The size of the window that ships.
await stage.resize(520, 640)
for (const theme of ['light', 'dark'] as const) {
  for (const situation of Object.keys(situations)) {
    await stage.show(situation, { theme, locale })
    await stage.page.screenshot({ path: path.join(folder, `${situation}-${theme}.png`) })
  }
}
await stage.close()
await desktop.display.close()
process.stdout.write(`${Object.keys(situations).length * 2} pictures are in ${folder}\n`)
process.exit()
