import { randomUUID } from 'node:crypto'
import type { Emulator } from '@latchkey/emulator'
import type { TestAPI } from 'vitest'
import { type AppFixtures, test as appTest } from './app-test.ts'
import {
  type RunningService,
  type ServiceNeed,
  serviceUnderTest,
  startServiceUnderTest,
} from './service-under-test.ts'

/** The fixtures of {@link test}. */
export interface ServiceFixtures {
  /** The service of this run, with the demo license of three seats. */
  readonly service: RunningService
  /** Its emulator. Behind a gateway, its log also contains what only the gateway asked. */
  readonly emulator: Emulator
  /** Ends a test that needs what the service doesn't give an app, and prints its name and the reason. */
  readonly needs: (...needs: readonly ServiceNeed[]) => void
}

/** Vitest's `test` for apps on real Electron that ask a licensing service. */
export const test: TestAPI<AppFixtures & ServiceFixtures> = appTest.extend<ServiceFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture depends on.
  service: async ({}, use) => {
    const service = await startServiceUnderTest(`token-${randomUUID()}`)
    await use(service)
    await service.close()
  },
  emulator: async ({ service }, use) => {
    await use(service.emulator)
  },
  needs: async ({ skip, task }, use) => {
    await use((...needs) => {
      const missing = needs.find((need) => !serviceUnderTest.has(need))
      if (missing === undefined) return
      const reason = `It needs ${missing}, which an app doesn’t have with ${serviceUnderTest.name}.`
      process.stdout.write(`Not run: “${task.name}”. ${reason}\n`)
      skip(reason)
    })
  },
})
