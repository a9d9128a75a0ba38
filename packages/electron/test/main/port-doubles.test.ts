import { describeClockContract } from '../contracts/clock-contract.ts'
import { describeDeviceContract } from '../contracts/device-contract.ts'
import { describeSecretsContract } from '../contracts/secrets-contract.ts'
import { describeStoreContract } from '../contracts/store-contract.ts'
import { createFakeClock } from '../doubles/fake-clock.ts'
import { createFakeDevice } from '../doubles/fake-device.ts'
import { createFakeSecrets } from '../doubles/fake-secrets.ts'
import { createMemoryStore } from '../doubles/memory-store.ts'

describeClockContract('the fake clock', () => {
  const clock = createFakeClock()
  return { clock, elapse: clock.advance }
})

describeStoreContract('the memory store', () => {
  const store = createMemoryStore()
  return { store, place: store.place, setAsideTexts: () => store.setAsideTexts }
})

for (const tier of ['keychain', 'basic', 'plain'] as const) {
  describeSecretsContract('the fake keychain', tier, () => createFakeSecrets({ tier }))
}

describeDeviceContract('the fake device', ({ id, appId }) => createFakeDevice({ machineId: id, appId }))
