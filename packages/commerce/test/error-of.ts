import { CommerceError } from '../src/index.ts'

/** Returns the `CommerceError` of a call. Any other result fails the test. */
export async function errorOf(call: Promise<unknown>): Promise<CommerceError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if (!('error' in outcome)) throw new Error(`Did not fail, but gave ${JSON.stringify(outcome.value)}`)
  if (outcome.error instanceof CommerceError) return outcome.error
  throw outcome.error
}

/** Reads an iterable to its end or its error. */
export async function drain<T>(items: AsyncIterable<T>): Promise<{ items: T[]; error: unknown }> {
  const seen: T[] = []
  try {
    for await (const item of items) seen.push(item)
    return { items: seen, error: null }
  } catch (error) {
    return { items: seen, error }
  }
}
