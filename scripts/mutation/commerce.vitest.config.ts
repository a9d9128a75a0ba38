import type { ViteUserConfig } from 'vitest/config'
import { namedTests } from '../../vitest.config.ts'
import { runOnly } from '../../vitest.coverage.config.ts'

const config: ViteUserConfig = runOnly(namedTests.commerce)

export default config
