import { activateForRequest, type OfflineActivationService, releaseMarkOf } from '@latchkey/services/offline'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ActivatedLicense, Activation, Outcome } from '../../src/index.ts'
import { answer, nothingTold, refusal, unavailable } from '../../src/license-service.ts'

const fingerprint = '0123456789abcdef'
const nowMs = Date.parse('2026-11-22T12:00:00.250Z')
const request = {
  app: 'com.example.notes',
  deviceName: 'Ada’s laptop',
  fingerprint,
  nonce: 'n0nce-n0nce-n0nce-n0nce',
  licenseKey: 'KEY-1',
  trustedKeys: [],
  releaseKey: 'k'.repeat(43),
}
const activationOf = (id: string): Activation => ({
  id,
  deviceName: 'Ada’s laptop',
  fingerprint,
  createdAtMs: nowMs,
})
const activated = (id: string): Outcome<ActivatedLicense> =>
  answer({ license: nothingTold, activation: activationOf(id) }, nowMs)

/** A service that lists these activations. @returns it, and the requests that take or free a seat. */
function serviceWith(
  listed: readonly string[],
  says: { readonly validate?: (id: string) => Outcome<ActivatedLicense>; readonly activate?: string },
): { readonly service: OfflineActivationService; readonly acts: readonly string[] } {
  const acts: string[] = []
  return {
    acts,
    service: {
      listActivations: async () => answer({ activations: listed.map(activationOf), isWhole: true }, nowMs),
      validate: async ({ activationId }) => (says.validate ?? activated)(activationId),
      async activate() {
        acts.push('activate')
        return activated(says.activate ?? 'new')
      },
      async deactivate({ activationId }) {
        acts.push(`deactivate ${activationId}`)
        return answer(null, nowMs)
      },
    },
  }
}

const origin = { status: 404, serverDateMs: nowMs }
const proxyPage = unavailable('not-found', { httpStatus: 404, bodyIsJson: false })

/** Two instances of a gateway, of which one has activated the device while the other one did so, too. */
function activatedElsewhere(
  ages: { readonly ours: number; readonly theirs: number },
  says: { readonly validate?: Outcome<ActivatedLicense> } = {},
) {
  const { service, acts } = serviceWith([], { validate: (id) => says.validate ?? activated(id) })
  const theirs = { ...activationOf('a-theirs'), createdAtMs: ages.theirs }
  const ours = { ...activationOf('b-ours'), createdAtMs: ages.ours }
  let isActivated = false
  const raced: OfflineActivationService = {
    ...service,
    listActivations: async () =>
      answer({ activations: isActivated ? [ours, theirs] : [], isWhole: true }, nowMs),
    async activate(asked) {
      isActivated = true
      await service.activate(asked)
      return answer({ license: nothingTold, activation: ours }, nowMs)
    },
  }
  return { service: raced, acts }
}

test.each([
  ['is older', { ours: nowMs, theirs: nowMs - 1 }],
  ['is as old', { ours: nowMs, theirs: nowMs }],
])('two instances of a gateway take one seat for a request: the other activation %s', async (_how, ages) => {
  const { service, acts } = activatedElsewhere(ages)
  expect(await activateForRequest(service, request, nowMs)).toMatchObject({ activationId: 'a-theirs' })
  expect(acts).toEqual(['activate', 'deactivate b-ours'])
})

test('an instance waits until it can see what another one has activated in the same second', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { service } = serviceWith([], {})
  const secondMs = Date.parse('2026-11-22T12:00:00Z')
  const ours = { ...activationOf('b-ours'), createdAtMs: secondMs }
  const theirs = { ...activationOf('a-theirs'), createdAtMs: secondMs }
  const activations: Activation[] = []
  const raced: OfflineActivationService = {
    ...service,
    listActivations: async () => answer({ activations: [...activations], isWhole: true }, nowMs),
    async activate() {
      activations.push(ours)
      setTimeout(() => activations.push(theirs), 900)
      return answer({ license: nothingTold, activation: ours }, nowMs)
    },
  }
  const outcome = activateForRequest(raced, request, nowMs)
  await vi.runAllTimersAsync()
  expect(await outcome).toMatchObject({ activationId: 'a-theirs' })
})

test('the instance that activated first keeps its activation, and doesn’t free the other one', async () => {
  const { service, acts } = activatedElsewhere({ ours: nowMs - 1, theirs: nowMs })
  expect(await activateForRequest(service, request, nowMs)).toMatchObject({ activationId: 'b-ours' })
  expect(acts).toEqual(['activate'])
})

test('an older activation that the service doesn’t know isn’t used, and gives its seat back', async () => {
  const validate = refusal('unknown-activation', origin)
  const { service, acts } = activatedElsewhere({ ours: nowMs, theirs: nowMs - 1 }, { validate })
  expect(await activateForRequest(service, request, nowMs)).toMatchObject({ activationId: 'b-ours' })
  expect(acts).toEqual(['activate', 'deactivate a-theirs'])
})

test('no answer is given while the older activation can’t be checked', async () => {
  const validate = unavailable('timeout')
  const { service } = activatedElsewhere({ ours: nowMs, theirs: nowMs - 1 }, { validate })
  expect(await activateForRequest(service, request, nowMs)).toEqual({ kind: 'failed', outcome: validate })
})

test.each([
  ['denied', unavailable('access-denied', { httpStatus: 403, bodyIsJson: true })],
  ['answered by a proxy’s page', proxyPage],
])('a click takes no seat where the list is %s', async (_how, said) => {
  const { service, acts } = serviceWith([], {})
  const unlisted = { ...service, listActivations: async () => said }
  expect(await activateForRequest(unlisted, request, nowMs)).toEqual({ kind: 'failed', outcome: said })
  expect(acts).toEqual([])
})

const refusedLists = [
  ['unknown', refusal('unknown-license', origin)],
  ['not found', unavailable('not-found', { httpStatus: 404, bodyIsJson: true })],
  ['rejected', unavailable('rejected', { httpStatus: 422, bodyIsJson: true })],
] as const

test.each(refusedLists)(
  'a seat is given back if the list stays %s after it was taken',
  async (_how, said) => {
    const { service, acts } = serviceWith([], {})
    const unlisted = { ...service, listActivations: async () => said }
    expect(await activateForRequest(unlisted, request, nowMs)).toEqual({ kind: 'unlisted' })
    expect(acts).toEqual(['activate', 'deactivate new'])
  },
)

test.each(refusedLists)(
  'the first device of a license whose empty list is %s is activated',
  async (_how, said) => {
    const { service, acts } = serviceWith([], {})
    const listActivations: OfflineActivationService['listActivations'] = async () =>
      acts.length === 0 ? said : answer({ activations: [activationOf('new')], isWhole: true }, nowMs)
    expect(await activateForRequest({ ...service, listActivations }, request, nowMs)).toMatchObject({
      activationId: 'new',
    })
    expect(acts).toEqual(['activate'])
  },
)

test('an activation stays when the list can’t be read after it', async () => {
  const { service, acts } = serviceWith([], {})
  let lists = 0
  const listActivations: OfflineActivationService['listActivations'] = async (asked) => {
    lists += 1
    return lists === 1 ? service.listActivations(asked) : unavailable('timeout')
  }
  expect(await activateForRequest({ ...service, listActivations }, request, nowMs)).toMatchObject({
    activationId: 'new',
  })
  expect(acts).toEqual(['activate'])
})

test('a device that a shifting list names twice keeps its seat', async () => {
  const { service, acts } = serviceWith(['one', 'two', 'one'], {})
  expect(await activateForRequest(service, request, nowMs)).toMatchObject({ activationId: 'one' })
  expect(acts).toEqual(['deactivate two'])
})

test.each([
  ['a proxy’s page', proxyPage],
  ['a denied access', unavailable('access-denied', { httpStatus: 403, bodyIsJson: true })],
])('%s in place of an answer about the device’s activation takes no second seat', async (_what, said) => {
  const { service, acts } = serviceWith(['old'], { validate: () => said })
  expect(await activateForRequest(service, request, nowMs)).toEqual({ kind: 'failed', outcome: said })
  expect(acts).toEqual([])
})

test.each([
  ['unknown', refusal('unknown-activation', origin)],
  ['of no license', refusal('unknown-license', origin)],
  ['not found', unavailable('not-found', { httpStatus: 404, bodyIsJson: true })],
])(
  'an activation that is listed and then %s gives its seat back after a new one is taken',
  async (_how, said) => {
    const { service, acts } = serviceWith(['old'], { validate: () => said })
    expect(await activateForRequest(service, request, nowMs)).toMatchObject({ activationId: 'new' })
    expect(acts).toEqual(['activate', 'deactivate old'])
  },
)

test('a refused activation gives its seat back when another one of the device is used', async () => {
  const { service, acts } = serviceWith(['old', 'newer'], {
    validate: (id) => (id === 'old' ? refusal('unknown-activation', origin) : activated(id)),
  })
  expect(await activateForRequest(service, request, nowMs)).toMatchObject({ activationId: 'newer' })
  expect(acts).toEqual(['deactivate old'])
})

test('an activation that the service returns again keeps its seat, however its id is written', async () => {
  const { service, acts } = serviceWith(['1F6D0A7E'], {
    validate: () => refusal('unknown-activation', origin),
    activate: '1f6d0a7e',
  })
  expect(await activateForRequest(service, request, nowMs)).toMatchObject({ activationId: '1f6d0a7e' })
  expect(acts).toEqual(['activate'])
})

test('an activation whose release code may still be used is freed, and a new one is made', async () => {
  const { service, acts } = serviceWith(['LEFT', 'kept'], {})
  const leaves = [await releaseMarkOf('left')]
  expect(await activateForRequest(service, { ...request, leaves }, nowMs)).toMatchObject({
    activationId: 'kept',
  })
  expect(acts).toEqual(['deactivate LEFT'])

  const alone = serviceWith(['left'], {})
  expect(await activateForRequest(alone.service, { ...request, leaves }, nowMs)).toMatchObject({
    activationId: 'new',
  })
  expect(alone.acts).toEqual(['deactivate left', 'activate'])
})

test('no seat is taken while it is uncertain whether the one that is left was freed', async () => {
  const { service, acts } = serviceWith(['left'], {})
  const leaves = [await releaseMarkOf('left')]
  const lost = { ...service, deactivate: async () => unavailable('timeout', { mayHaveActed: true }) }
  expect(await activateForRequest(lost, { ...request, leaves }, nowMs)).toMatchObject({ kind: 'failed' })
  expect(acts).toEqual([])
})

const refusedInJson = unavailable('not-found', { httpStatus: 404, bodyIsJson: true })

test.each<[string, Outcome<ActivatedLicense>]>([
  ['an error in JSON', refusedInJson],
  ['a documented error', refusal('unknown-activation', origin)],
])('a seat that is left and only listed counts as free if validating it gets %s', async (_what, validate) => {
  const { service, acts } = serviceWith(['left'], { validate: () => validate })
  const freed: string[] = []
  const listing: OfflineActivationService = {
    ...service,
    async deactivate({ activationId }) {
      freed.push(activationId)
      return refusedInJson
    },
  }
  const leaves = [await releaseMarkOf('left')]
  expect(await activateForRequest(listing, { ...request, leaves }, nowMs)).toMatchObject({
    activationId: 'new',
  })
  expect(acts).toEqual(['activate'])
  // Once more with the new seat, in case that both refusals were wrong.
  expect(freed).toEqual(['left', 'left'])
})

test.each<[string, Outcome<null>, Outcome<ActivatedLicense>]>([
  ['is still valid', refusedInJson, activated('left')],
  ['belongs to a license that has ended', refusedInJson, refusal('expired', origin)],
  ['can’t be validated', refusedInJson, unavailable('server-error', { httpStatus: 503 })],
  ['is refused by a proxy', refusedInJson, proxyPage],
  ['gets a proxy’s page in place of its deactivation', proxyPage, refusedInJson],
])('no seat is taken if the one that is left %s', async (_what, deactivate, validate) => {
  const { service, acts } = serviceWith(['left'], { validate: () => validate })
  const leaves = [await releaseMarkOf('left')]
  const refusing: OfflineActivationService = { ...service, deactivate: async () => deactivate }
  expect(await activateForRequest(refusing, { ...request, leaves }, nowMs)).toEqual({
    kind: 'failed',
    outcome: deactivate,
  })
  expect(acts).toEqual([])
})

const dayMs = 86_400_000
const withEnd = (endsAtMs: number): Outcome<ActivatedLicense> =>
  answer({ license: { ...nothingTold, endsAtMs }, activation: activationOf('new') }, nowMs)
const busy = unavailable('rate-limited', { httpStatus: 429 })

test.each([
  [
    'is told then',
    withEnd(nowMs + dayMs),
    { kind: 'activated', license: { endsAtMs: nowMs + dayMs } },
    false,
  ],
  ['can’t be told yet', busy, { kind: 'failed', outcome: busy }, false],
  ['has passed', withEnd(nowMs - dayMs), { kind: 'refused', reason: 'expired' }, true],
  [
    'isn’t told by a service that is late',
    refusal('unknown-activation', origin),
    { kind: 'activated' },
    false,
  ],
] as const)(
  'an end that *activate* doesn’t tell is asked for, and it %s',
  async (_what, validate, outcome, isFreed) => {
    const { service, acts } = serviceWith([], { validate: () => validate })
    expect(await activateForRequest(service, request, nowMs)).toMatchObject(outcome)
    expect(acts).toEqual(['activate', ...(isFreed ? ['deactivate new'] : [])])
  },
)
