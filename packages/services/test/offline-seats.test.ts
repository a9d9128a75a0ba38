import {
  activateForRequest,
  freeReleasedSeat,
  type OfflineActivationService,
  releaseMarkOf,
} from '@latchkey/services/offline'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ActivatedLicense, Activation, ActivationList, Outcome } from '../src/index.ts'
import { answer, nothingTold, refusal, unavailable } from '../src/license-service.ts'

const fingerprint = '0123456789abcdef'
const nowMs = Date.parse('2026-11-22T12:00:00.250Z')
const dayMs = 86_400_000
const request = {
  app: 'com.example.notes',
  deviceName: 'Ada’s laptop',
  fingerprint,
  nonce: 'n0nce-n0nce-n0nce-n0nce',
  licenseKey: 'KEY-1',
  trustedKeys: [],
  releaseKey: 'k'.repeat(43),
}

const activationOf = (id: string, createdAtMs: number = nowMs): Activation => ({
  id,
  deviceName: 'Ada’s laptop',
  fingerprint,
  createdAtMs,
})
const listOf = (activations: readonly Activation[], isWhole = true, atMs: number | null = nowMs) =>
  answer({ activations, isWhole }, atMs)
const activated = (id: string, endsAtMs: number | null = null): Outcome<ActivatedLicense> =>
  answer({ license: { ...nothingTold, endsAtMs }, activation: activationOf(id) }, nowMs)

const origin = { status: 404, serverDateMs: nowMs }
const unknown = refusal('unknown-activation', origin)
const unknownLicense = refusal('unknown-license', origin)
const refusedInJson = unavailable('not-found', { httpStatus: 404, bodyIsJson: true })
const proxyPage = unavailable('not-found', { httpStatus: 404, bodyIsJson: false })
const denied = unavailable('access-denied', { httpStatus: 403, bodyIsJson: true })
const rejected = unavailable('rejected', { httpStatus: 422, bodyIsJson: true })
const busy = unavailable('rate-limited', { httpStatus: 429 })
const late = unavailable('timeout', { mayHaveActed: true })
const failed = (outcome: Outcome<unknown>) => ({ kind: 'failed', outcome })
const active = (activationId: string) => ({ kind: 'activated', activationId })

/** What a service answers. */
interface Says {
  /** Activations that it lists, by their IDs. @default none */
  readonly listed?: readonly string[]
  /** The list instead. @param isTaken whether this request has taken a seat. */
  readonly list?: (isTaken: boolean) => Outcome<ActivationList>
  /** The license of an activation. @default it is valid */
  readonly validate?: (id: string) => Outcome<ActivatedLicense>
  /** The activation that is made. @default one with the ID `new` */
  readonly activate?: Activation
  /** @default a success */
  readonly deactivate?: Outcome<null>
  /** The activations whose release codes may still be used. */
  readonly leaves?: readonly string[]
}

/** Activates a device for its request. @returns the outcome, and the requests that take or free a seat. */
async function activateAt(says: Says): Promise<{ outcome: unknown; acts: readonly string[] }> {
  const { listed = [], validate = activated, activate = activationOf('new'), leaves = [] } = says
  const acts: string[] = []
  const list = says.list ?? (() => listOf(listed.map((id) => activationOf(id))))
  const service: OfflineActivationService = {
    listActivations: async () => list(acts.includes('activate')),
    validate: async ({ activationId }) => validate(activationId),
    async activate() {
      acts.push('activate')
      return answer({ license: nothingTold, activation: activate }, nowMs)
    },
    async deactivate({ activationId }) {
      acts.push(`deactivate ${activationId}`)
      return says.deactivate ?? answer(null, nowMs)
    },
  }
  const marks = await Promise.all(leaves.map((id) => releaseMarkOf(id)))
  const asked = leaves.length === 0 ? request : { ...request, leaves: marks }
  return { outcome: await activateForRequest(service, asked, nowMs), acts }
}

type Row = readonly [what: string, says: Says, outcome: object, acts: readonly string[]]

/** Another instance of a gateway has activated the device in the meantime. */
function raced(ourAgeMs: number, theirAgeMs: number): Says {
  const ours = activationOf('b-ours', nowMs - ourAgeMs)
  const theirs = activationOf('a-theirs', nowMs - theirAgeMs)
  return { activate: ours, list: (isTaken) => listOf(isTaken ? [ours, theirs] : []) }
}

describe('two instances of a gateway take one seat for a request', () => {
  test.each<Row>([
    ['the older one', raced(0, 1), active('a-theirs'), ['activate', 'deactivate b-ours']],
    ['one of the same age', raced(0, 0), active('a-theirs'), ['activate', 'deactivate b-ours']],
    ['not the newer one, which isn’t freed either', raced(1, 0), active('b-ours'), ['activate']],
    [
      'not an older one that the service doesn’t know, which gives its seat back',
      { ...raced(0, 1), validate: () => unknown },
      active('b-ours'),
      ['activate', 'deactivate a-theirs'],
    ],
    [
      'none while the older one can’t be checked',
      { ...raced(0, 1), validate: () => late },
      failed(late),
      ['activate'],
    ],
  ])('%s', async (_what, says, outcome, acts) => {
    expect(await activateAt(says)).toMatchObject({ outcome, acts })
  })

  test('that the other one activated in the same second', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const secondMs = Math.floor(nowMs / 1000) * 1000
    const [ours, theirs] = [activationOf('b-ours', secondMs), activationOf('a-theirs', secondMs)]
    let isListed = false
    const outcome = activateAt({
      activate: ours,
      list(isTaken) {
        if (!isTaken) setTimeout(() => (isListed = true), 900)
        return listOf([...(isTaken ? [ours] : []), ...(isListed ? [theirs] : [])])
      },
    })
    await vi.runAllTimersAsync()
    expect((await outcome).outcome).toMatchObject(active('a-theirs'))
  })
})

const refusedLists = [
  ['unknown', unknownLicense],
  ['not found', refusedInJson],
  ['rejected', rejected],
] as const

describe('a request takes no seat that it can’t find again', () => {
  test.each<Row>([
    ['the list is denied', { list: () => denied }, failed(denied), []],
    ['a proxy answers the list', { list: () => proxyPage }, failed(proxyPage), []],
    ...refusedLists.map(
      ([how, said]): Row => [
        `the list stays ${how} after the seat was taken`,
        { list: () => said },
        { kind: 'unlisted' },
        ['activate', 'deactivate new'],
      ],
    ),
  ])('%s', async (_what, says, outcome, acts) => {
    expect(await activateAt(says)).toMatchObject({ outcome, acts })
  })
})

describe('a request takes one seat', () => {
  test.each<Row>([
    ...refusedLists.map(
      ([how, said]): Row => [
        `of a license whose empty list is ${how}`,
        { list: (isTaken) => (isTaken ? listOf([activationOf('new')]) : said) },
        active('new'),
        ['activate'],
      ],
    ),
    [
      'and keeps it when the list can’t be read afterwards',
      { list: (isTaken) => (isTaken ? late : listOf([])) },
      active('new'),
      ['activate'],
    ],
    [
      'that a shifting list names twice',
      { listed: ['one', 'two', 'one'] },
      active('one'),
      ['deactivate two'],
    ],
    [
      'and none beside one that a proxy hides',
      { listed: ['old'], validate: () => proxyPage },
      failed(proxyPage),
      [],
    ],
    ['and none beside one that is denied', { listed: ['old'], validate: () => denied }, failed(denied), []],
    ...[unknown, unknownLicense, refusedInJson].map(
      (said): Row => [
        `in place of one that is listed, but refused (${said.kind === 'refusal' ? said.reason : said.cause})`,
        { listed: ['old'], validate: () => said },
        active('new'),
        ['activate', 'deactivate old'],
      ],
    ),
    [
      'of two, of which the first is refused',
      { listed: ['old', 'newer'], validate: (id) => (id === 'old' ? unknown : activated(id)) },
      active('newer'),
      ['deactivate old'],
    ],
    [
      'that the service returns again, however its ID is written',
      { listed: ['1F6D0A7E'], validate: () => unknown, activate: activationOf('1f6d0a7e') },
      active('1f6d0a7e'),
      ['activate'],
    ],
  ])('%s', async (_what, says, outcome, acts) => {
    expect(await activateAt(says)).toMatchObject({ outcome, acts })
  })
})

describe('a seat whose release code may still be used', () => {
  const left = { listed: ['left'], leaves: ['left'] }
  const refusing = { ...left, deactivate: refusedInJson }

  test.each<Row>([
    [
      'is freed, and another one of the device is used',
      { listed: ['LEFT', 'kept'], leaves: ['left'] },
      active('kept'),
      ['deactivate LEFT'],
    ],
    ['is freed before a new one is taken', left, active('new'), ['deactivate left', 'activate']],
    [
      'is waited for while it is uncertain whether it is free',
      { ...left, deactivate: late },
      failed(late),
      ['deactivate left'],
    ],
    // Once more with the new seat, in case that both refusals were wrong.
    ...[refusedInJson, unknown].map(
      (said): Row => [
        `counts as free if it is listed, but can’t be validated (${said.kind})`,
        { ...refusing, validate: () => said },
        active('new'),
        ['deactivate left', 'activate', 'deactivate left'],
      ],
    ),
    ...(
      [
        ['it is still valid', activated('left')],
        ['its license has ended', refusal('expired', origin)],
        ['it can’t be validated', unavailable('server-error', { httpStatus: 503 })],
        ['a proxy refuses it', proxyPage],
      ] as const
    ).map(
      ([why, said]): Row => [
        `is waited for if ${why}`,
        { ...refusing, validate: () => said },
        failed(refusedInJson),
        ['deactivate left'],
      ],
    ),
    [
      'is waited for if a proxy answers its deactivation',
      { ...left, deactivate: proxyPage, validate: () => refusedInJson },
      failed(proxyPage),
      ['deactivate left'],
    ],
  ])('%s', async (_what, says, outcome, acts) => {
    expect(await activateAt(says)).toMatchObject({ outcome, acts })
  })
})

describe('an end that *activate* doesn’t tell is asked for, and it', () => {
  test.each<Row>([
    [
      'is told then',
      { validate: (id) => activated(id, nowMs + dayMs) },
      { kind: 'activated', license: { endsAtMs: nowMs + dayMs } },
      ['activate'],
    ],
    ['can’t be told yet', { validate: () => busy }, failed(busy), ['activate']],
    [
      'has passed',
      { validate: (id) => activated(id, nowMs - dayMs) },
      { kind: 'refused', reason: 'expired' },
      ['activate', 'deactivate new'],
    ],
    ['isn’t told by a service that is late', { validate: () => unknown }, active('new'), ['activate']],
  ])('%s', async (_what, says, outcome, acts) => {
    expect(await activateAt(says)).toMatchObject({ outcome, acts })
  })
})

describe('a seat that is released by its code', () => {
  const listed = listOf([activationOf('a1')])
  const others = listOf([activationOf('other')])
  const nothing = listOf([])
  const yesterday = listOf([], true, nowMs - dayMs)
  const notFoundAt = (serverDateMs: number | null) =>
    unavailable('not-found', { httpStatus: 404, bodyIsJson: true, serverDateMs })
  const notFound = notFoundAt(nowMs)
  const done = answer(null, nowMs)

  test.each([
    ['freed', 'by the service’s answer', done, listed],
    ['freed', 'by an answer without a list', done, late],
    ['freed', 'by an answer, and not in a list of yesterday', done, yesterday],
    ['already-free', 'answered, and not in the list before', done, others],
    ['already-free', 'refused, and not in the list', unknown, others],
    ['already-free', 'not found, and not in the list', notFound, nothing],
    ['failed', 'by a request whose answer was lost, whatever the list contains', late, nothing],
    ['refused', 'refused and still in the list', unknown, listed],
    ['refused', 'refused, in a list that is not whole', unknown, listOf([], false)],
    ['failed', 'not found, and the list can’t be read', notFound, late],
    ['failed', 'not found by a proxy that has the list', notFound, listed],
    ['failed', 'not found, and not in a list of yesterday', notFound, yesterday],
    ['refused', 'refused, and not in a list of yesterday', unknown, yesterday],
    ['already-free', 'not found, and not in a list before', notFound, listOf([], true, nowMs - 5_000)],
    ['already-free', 'not found, and not in a list without a date', notFound, listOf([], true, null)],
    ['failed', 'not found by another host than the one that lists', notFoundAt(null), nothing],
    ['failed', 'not reached', late, late],
  ])('is %s: %s', async (kind, _how, deactivated, list) => {
    const service = { deactivate: async () => deactivated, listActivations: async () => list }
    expect(await freeReleasedSeat(service, { ...request, activationId: 'A1' })).toMatchObject({ kind })
  })
})
