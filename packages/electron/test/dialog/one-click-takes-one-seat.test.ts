import { expect, test } from 'vitest'
import { createActivationSession } from '../../src/dialog/session/create-activation-session.ts'
import { createLicensingClient } from '../../src/renderer/licensing-client.ts'
import { createTestDevice } from '../core/fixture.ts'
import { createServiceModel, type Fate } from '../core/service-model.ts'
import { createFakeClock } from '../doubles/fake-clock.ts'
import { createFakeBridge } from './stage/fake-bridge.ts'
import { stagedAnswers } from './stage/staged-answers.ts'
import { unlicensed } from './stage/states.ts'

test('one click takes one seat, also where keys cannot be listed and answers are lost', async () => {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(5)
  const commerce = model.reachedBy(
    (operation): Fate =>
      operation === 'keys'
        ? { kind: 'status', status: 403, isJson: true }
        : operation === 'activate'
          ? { kind: 'answer-lost' }
          : { kind: 'served' },
  )
  const device = createTestDevice(null, { commerce })
  await device.launch()
  const fake = createFakeBridge(
    stagedAnswers(unlicensed(), { activate: (text: string) => device.core.activate(text) }),
  )
  const clock = createFakeClock()
  const session = createActivationSession(
    createLicensingClient(fake.bridge),
    { nowMs: clock.now, after: clock.after },
    () => {},
  )
  session.start()
  await clock.advance(0)
  session.activate(license.id)
  for (let i = 0; i < 30; i += 1) {
    await device.settled()
    await clock.advance(5_000)
  }
  expect(license.keys).toHaveLength(1)
})
