import '@latchkey/electron'
import { createCommerceClient, type Page } from '@latchkey/commerce'
import { licenseSchema } from '@latchkey/commerce/schemas'
import { createLicensing, type Licensing, type LicensingState } from '@latchkey/electron/main'
import { type Emulator, startEmulator } from '@latchkey/emulator'
import { createGateway } from '@latchkey/gateway'
import { startGatewayServer } from '@latchkey/gateway/node'

const licensing: Licensing = createLicensing({
  appId: 'com.example.consumer',
  service: { baseUrl: 'https://licensing.example.com/v1' },
})
licensing.subscribe((state: LicensingState) => {
  if (state.status === 'grace') new Date(state.graceEndsAt)
  // @ts-expect-error: a state that says nothing of itself would be `any`.
  state.nothing
})

export async function everything(): Promise<unknown> {
  const commerce = createCommerceClient({ baseUrl: 'https://licensing.example.com/v1' })
  const customers: Page<unknown> = await commerce.customers.list()
  const emulator: Emulator = await startEmulator()
  return [customers, emulator.baseUrl, licenseSchema, createGateway, startGatewayServer]
}
