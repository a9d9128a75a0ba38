import { existsSync } from 'node:fs'
import { defineConfig, type UserConfig } from 'tsdown'
import { embeddedTexts } from './embedded-texts.ts'

const entries = {
  index: 'src/index.ts',
  main: 'src/main/index.ts',
  preload: 'src/preload/index.ts',
  renderer: 'src/renderer/index.ts',
  dialog: 'src/dialog/index.ts',
}

const config: UserConfig = defineConfig({
  entry: Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file))),
  platform: 'neutral',
  target: ['chrome114', 'node18'],
  deps: { neverBundle: /^node:/u },
  dts: { oxc: true },
  fixedExtension: false,
  logLevel: 'warn',
  plugins: [embeddedTexts()],
})

export default config
