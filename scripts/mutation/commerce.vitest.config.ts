import type { ViteUserConfig } from 'vitest/config'
import { namedTests, runOnly } from '../../vitest.coverage.config.ts'

const config: ViteUserConfig = runOnly(namedTests.commerce)

export default config
