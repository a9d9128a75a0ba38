import { describe, expect, it } from 'vitest'
import { safeCause } from '../../src/commerce-error.ts'
import { accessToken, licenseId } from '../samples.ts'

/** An error and its causes, outermost first. */
function chainOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : []
}

function nested(depth: number): Error {
  const message = `${depth}: ${licenseId} with ${accessToken}`
  return new Error(message, depth === 0 ? undefined : { cause: nested(depth - 1) })
}

describe('the cause of an error', () => {
  it('describes what happened, with placeholders for the license and the token', () => {
    const raw = new TypeError(`GET /licenses/${licenseId}/keys ${accessToken} failed`)
    expect(safeCause(raw, accessToken)).toMatchObject({
      name: 'TypeError',
      message: 'GET /licenses/<id>/keys <token> failed',
      stack: 'TypeError: GET /licenses/<id>/keys <token> failed',
    })
  })

  it('contains neither at any depth, and a circular cause ends', () => {
    const chain = chainOf(safeCause(nested(20), accessToken))
    expect(chain).toHaveLength(6)
    for (const error of chain) {
      expect(`${error.message} ${error.stack}`).toMatch(/^\d+: <id> with <token> Error: /)
    }
  })

  it('ends where the original error ends', () => {
    expect(chainOf(safeCause(nested(2), accessToken))).toHaveLength(3)
    expect(safeCause(new Error('alone'), undefined)).not.toHaveProperty('cause')
  })

  it('keeps a code without secrets, and doesn’t invent one', () => {
    const coded = Object.assign(new Error(''), { code: `E_${licenseId}` })
    expect(safeCause(coded, undefined)).toMatchObject({ code: 'E_<id>', message: 'E_<id>' })
    expect(safeCause(Object.assign(new Error('x'), { code: 7 }), undefined)).not.toHaveProperty('code')
    expect(safeCause(new Error('x'), undefined)).not.toHaveProperty('code')
  })

  it('is a fixed text if the original error has no message or isn’t an error', () => {
    expect(safeCause(new Error(''), undefined).message).toBe('unknown')
    expect(safeCause(`thrown text with ${licenseId}`, undefined)).toMatchObject({
      name: 'NonError',
      message: 'A value that is not an Error was thrown',
    })
  })

  it('keeps the word "undefined" when there is no token', () => {
    expect(safeCause(new Error('undefined is not a function'), undefined).message).toBe(
      'undefined is not a function',
    )
  })
})
