import {
  type ActivationSession,
  createActivationSession,
} from '../../../src/dialog/session/activation-session.ts'
import { createLicensingClient } from '../../../src/renderer/licensing-client.ts'
import type { TestDevice } from '../../core/fixture.ts'
import type { FakeClock } from '../../doubles/fake-clock.ts'
import { createFakeBridge, type FakeBridge } from './fake-bridge.ts'
import { stagedAnswers } from './staged-answers.ts'

/** A screen's session on a device. The bridge records its calls. */
export interface DeviceScreen extends Pick<FakeBridge, 'calls'> {
  readonly session: ActivationSession
}

/** Opens a screen on a device that was launched. @param clock its own clock, if it doesn't go by the device's */
export async function openScreenOn(
  device: Pick<TestDevice, 'core' | 'state' | 'clock'>,
  clock: FakeClock = device.clock,
): Promise<DeviceScreen> {
  const { core, state } = device
  const fake = createFakeBridge(
    stagedAnswers(state, {
      activate: (text) => core.activate(text),
      reactivate: () => core.reactivate(),
      validate: () => core.validate(),
      cancelActivation: () => core.cancelActivation(),
      deactivate: () => core.deactivate(),
      devices: () => core.devices(),
      releaseDevice: (id) => core.releaseDevice(id),
    }),
  )
  core.subscribe(fake.push)
  const session = createActivationSession(
    createLicensingClient(fake.bridge),
    { nowMs: clock.now, after: clock.after },
    () => {},
  )
  session.start()
  await clock.advance(0)
  return { session, calls: fake.calls }
}
