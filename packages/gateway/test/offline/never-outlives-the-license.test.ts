import { expect, test } from 'vitest'
import { startFace } from '../services/face-fixture.ts'
import { claimsOf, instanceBeside, signingKey } from './offline-fixture.ts'

const dayMs = 86_400_000

/** A gateway in front of Dodo Payments, whose *activate* doesn't contain the end, with a license of 20 days. */
async function startDodo() {
  const emulator = await startFace('dodo')
  const endsAtMs = Math.floor(Date.now() / 1000) * 1000 + 20 * dayMs
  const expires_at = new Date(endsAtMs).toISOString()
  emulator.control.updateLicense(emulator.demoLicense.id, { expires_at })
  const says = { tooMany: 0 }
  const { send } = instanceBeside('dodo', emulator, emulator.licenseKey, {
    signing: { keys: [signingKey] },
    offline: { days: 3660 },
    fetch: async (request, init) => {
      if (says.tooMany === 0 || !/\/license_keys\/[^/]+$/u.test(new URL(request.url).pathname))
        return fetch(request, init)
      says.tooMany -= 1
      return Response.json({ code: 'TOO_MANY_REQUESTS' }, { status: 429, headers: { 'retry-after': '0' } })
    },
  })
  const seats = (): number => emulator.control.keys(emulator.demoLicense.id).length
  return { send, says, seats, endsAtMs, emulator }
}

test('the end is asked for again if it wasn’t shown after an activation', async () => {
  const { send, says, seats, endsAtMs } = await startDodo()
  says.tooMany = 1
  const told = await send()
  expect((await claimsOf(told.body.answer)).exp * 1000).toBe(endsAtMs)
  expect(seats()).toBe(1)
})

test('no answer is signed while the end isn’t known, and a retry uses the same seat', async () => {
  const { send, says, seats, endsAtMs } = await startDodo()
  says.tooMany = 10
  expect(await send()).toMatchObject({ status: 503, body: {} })
  expect(seats()).toBe(1)
  says.tooMany = 0
  const told = await send()
  expect((await claimsOf(told.body.answer)).exp * 1000).toBe(endsAtMs)
  expect(seats()).toBe(1)
})

test('a license without an end lasts as long as the vendor’s days', async () => {
  const { send, emulator } = await startDodo()
  emulator.control.updateLicense(emulator.demoLicense.id, { expires_at: null })
  const { exp, iat } = await claimsOf((await send()).body.answer)
  expect((exp - iat) * 1000).toBe(3660 * dayMs)
})
