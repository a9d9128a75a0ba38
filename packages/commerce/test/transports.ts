import { onTestFinished } from 'vitest'
import type { CommerceClientOptions } from '../src/index.ts'
import { createNodeClient } from '../src/node/index.ts'

/** How a client can send its requests, each with the options for it. Both must behave in the same way. */
export const transports: readonly (readonly [string, () => Pick<CommerceClientOptions, 'exchange'>])[] = [
  ['fetch', () => ({})],
  ['Node’s HTTP client', nodeClient],
]

/** A client whose connections close after the test. */
function nodeClient(): Pick<CommerceClientOptions, 'exchange'> {
  const { exchange, close } = createNodeClient()
  onTestFinished(close)
  return { exchange }
}
