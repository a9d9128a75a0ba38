import {
  type ActivationSession,
  createActivationSession,
} from '../../../src/dialog/session/activation-session.ts'
import { createLicensingClient, type LicensingClient } from '../../../src/renderer/licensing-client.ts'
import type { LicensingBridge } from '../../../src/shared/licensing-bridge.ts'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import type { TestDevice } from '../../core/fixture.ts'
import { createFakeClock, type FakeClock } from '../../doubles/fake-clock.ts'
import { createFakeBridge, type FakeAnswers, type FakeBridge } from './fake-bridge.ts'
import { unlicensed } from './states.ts'

/** A screen's session and the bridge it talks to, which records its calls. */
export interface SessionScreen extends Pick<FakeBridge, 'calls'> {
  readonly session: ActivationSession
  readonly fake: FakeBridge
  readonly clock: FakeClock
}

/** Starts the session of a screen. @param connect what it talks to instead of the bridge alone */
export function startScreen(
  state: LicensingState = unlicensed(),
  answers: Partial<FakeAnswers> = {},
  clock: FakeClock = createFakeClock(),
  connect: (bridge: LicensingBridge) => LicensingClient = createLicensingClient,
): SessionScreen {
  const fake = createFakeBridge(state, answers)
  const timers = { nowMs: clock.now, after: clock.after }
  const session = createActivationSession(connect(fake.bridge), timers, () => {})
  session.start()
  return { session, fake, clock, calls: fake.calls }
}

/** Opens a screen on a device that was launched. @param clock its own clock, if it doesn't go by the device's */
export async function openScreenOn(
  { core, state, clock: ofDevice }: Pick<TestDevice, 'core' | 'state' | 'clock'>,
  clock: FakeClock = ofDevice,
): Promise<SessionScreen> {
  const answers: Partial<FakeAnswers> = {
    activate: (text) => core.activate(text),
    reactivate: () => core.reactivate(),
    validate: () => core.validate(),
    cancelActivation: () => core.cancelActivation(),
    deactivate: () => core.deactivate(),
    devices: () => core.devices(),
    releaseDevice: (id) => core.releaseDevice(id),
  }
  const screen = startScreen(state, answers, clock)
  core.subscribe(screen.fake.push)
  await clock.advance(0)
  return screen
}
