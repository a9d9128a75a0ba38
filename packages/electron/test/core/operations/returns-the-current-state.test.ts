import { afterAll, expect, test } from 'vitest'
import type { LicensingCore } from '../../../src/core/licensing.ts'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import { type Computer, startSurroundings } from './without-internet/offline-surroundings.ts'

const { service, computer, onPage, activateOffline } = await startSurroundings()
afterAll(() => service.emulator.close())

type WithState = LicensingState | { readonly ok: boolean; readonly state: LicensingState }

/** Every method whose promise resolves with a state, or with a result that has one. */
type StateVerb = {
  [Verb in keyof LicensingCore]: LicensingCore[Verb] extends (...given: never[]) => Promise<WithState>
    ? Verb
    : never
}[keyof LicensingCore]

type Call = readonly [name: string, call: (device: Computer) => Promise<WithState>]

async function activated(): Promise<Computer> {
  const device = computer()
  await device.launch()
  await activateOffline(device, service.newLicense().id)
  return device
}

async function answerFor({ core }: Computer): Promise<string> {
  const request = await core.createOfflineRequest(service.newLicense().id)
  if (!request.ok) throw new Error(request.problem.code)
  return (await onPage(request.text)).answer
}

const calls: { readonly [Verb in StateVerb]: readonly Call[] } = {
  start: [['start', ({ core }) => core.start()]],
  read: [['read', ({ core }) => core.read()]],
  activate: [
    ['activate, without a key', ({ core }) => core.activate('')],
    ['activate, without internet', ({ core }) => core.activate(service.newLicense().id)],
    ['activate', async (device) => online(device).core.activate(service.newLicense().id)],
  ],
  reactivate: [
    ['reactivate, without internet', ({ core }) => core.reactivate()],
    ['reactivate', async (device) => online(device).core.reactivate()],
  ],
  activateOffline: [
    ['activateOffline, without an answer', ({ core }) => core.activateOffline('nothing')],
    ['activateOffline', async (device) => device.core.activateOffline(await answerFor(device))],
  ],
  validate: [
    ['validate, without internet', ({ core }) => core.validate()],
    ['validate', async (device) => online(device).core.validate()],
  ],
  cancelActivation: [['cancelActivation', ({ core }) => core.cancelActivation()]],
  deactivate: [
    ['deactivate, without internet', ({ core }) => core.deactivate()],
    ['deactivate', async (device) => online(device).core.deactivate()],
  ],
}

function online(device: Computer): Computer {
  device.isOnline = true
  return device
}

test.each(Object.values(calls).flat())(
  '%s resolves with the current state, not a running one',
  async (_name, call) => {
    const device = await activated()
    const result = await call(device)
    const state = 'state' in result ? result.state : result
    expect(state.activity).toBe('idle')
    expect(state).toBe(device.core.state)
  },
)

test('an app that is not set up for it gets the current state, too', async () => {
  const device = computer({ loadPort: null })
  await device.launch()
  const result = await device.core.activateOffline('nothing')
  expect(result).toMatchObject({ ok: false, problem: { code: 'misconfigured' } })
  expect(result.state).toBe(device.core.state)
})
