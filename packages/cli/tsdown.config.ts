import { thirdPartyLicenses } from '@latchkey/scripts/packages/third-party-licenses'
import { defineConfig, type UserConfig } from 'tsdown'

const config: UserConfig = defineConfig({
  entry: ['src/bin.ts', 'src/start.ts'],
  platform: 'node',
  target: 'node20',
  dts: false,
  fixedExtension: false,
  logLevel: 'warn',
  checks: { pluginTimings: false },
  // Smaller, and stack traces still name what they pass through.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  // A command starts in half the time. The packages stay dependencies, so that audits and the bill of materials list them.
  deps: { alwaysBundle: /^(?!node:)/u, onlyBundle: false },
  plugins: [thirdPartyLicenses('third-party-licenses.txt')],
})

export default config
