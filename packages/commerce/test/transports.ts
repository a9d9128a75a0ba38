import { onTestFinished } from 'vitest'
import { createNodeClient } from '../../services/src/node.ts'
import type { CommerceClientOptions } from '../src/index.ts'

/** How a client can send its requests, each with the options for it. Both must behave in the same way. */
export const transports: readonly (readonly [string, () => Pick<CommerceClientOptions, 'fetch'>])[] = [
  ['fetch', () => ({})],
  ['Node’s client', nodeClient],
]

/** A client whose connections close after the test. */
function nodeClient(): Pick<CommerceClientOptions, 'fetch'> {
  const { fetch, close } = createNodeClient()
  onTestFinished(close)
  return { fetch }
}
