import { releaseMarkOf } from '@latchkey/services/offline'
import { expect, test } from 'vitest'
import { newReleasingDevice, startOffline } from './offline-fixture.ts'

/** A commerce service that still lists the keys that it has deactivated, and a computer that left such a key. */
async function leftBehind() {
  const gone: object[] = []
  const offline = await startOffline('commerce', {
    async fetch(request: Request, init?: RequestInit) {
      const response = await fetch(request, init)
      if (request.method !== 'GET' || !request.url.endsWith('/keys')) return response
      const list = await response.json()
      const date = response.headers.get('date') ?? ''
      return Response.json({ ...list, data: [...gone, ...list.data] }, { headers: { date } })
    },
  })
  const { emulator, licenseId } = offline
  const seats = () => emulator.control.keys(licenseId)
  const { releaseKey, codeFor } = newReleasingDevice()
  const { body } = await offline.send({ releaseKey })
  const [key] = seats()
  if (key === undefined) throw new Error('No seat was taken.')
  const request = { releaseKey, nonce: 'n1nce-n1nce-n1nce-n1nce', leaves: [await releaseMarkOf(key.id)] }
  return {
    ...offline,
    seats,
    code: await codeFor(body.answer),
    /** Asks for the computer's next activation. */
    activate: () => offline.send(request),
    lists: () => void gone.push(key),
    key,
  }
}

test.each(['release code', 'support'] as const)(
  'a computer is activated again after its seat was freed by %s',
  async (by) => {
    const { ask, activate, lists, seats, code, key, emulator, licenseId } = await leftBehind()
    if (by === 'support') emulator.control.removeKey(licenseId, key.id)
    else expect((await ask('POST', '/offline', { request: code })).body).toMatchObject({ released: true })
    lists()
    for (let request = 0; request < 2; request += 1) {
      expect(await activate()).toMatchObject({ status: 200, body: { answer: expect.any(String) } })
      expect(seats()).toHaveLength(1)
    }
  },
)

test('a seat that can’t be freed for a moment doesn’t become a second one', async () => {
  const { activate, seats, emulator, key } = await leftBehind()
  emulator.control.faults.inject({ fault: 'status', status: 404, operation: 'deactivate' })
  expect(await activate()).toMatchObject({ status: 502 })
  expect(seats()).toMatchObject([{ id: key.id }])
  emulator.control.faults.clear()
  expect((await activate()).status).toBe(200)
  expect(seats()).toHaveLength(1)
  expect(seats()[0]?.id).not.toBe(key.id)
})
