import { keygen } from '@latchkey/services/keygen'
import { describe, expect, test } from 'vitest'
import type { GatewayLogLine } from '../../src/index.ts'
import { keyName } from '../gateway-fixture.ts'
import { gatewayOf, startFace } from './face-fixture.ts'

const wrongKey = 'e8601e48b69383ba520245fd07971e983d06d22c4257cfd82304601479cee788'
const wrongAccount = '00000000-1111-4222-8333-444444444444'

/** The log of a list and an activation behind a gateway with these settings. */
async function logOf(
  wrong: { publicKey?: string | undefined; account?: string },
  status = 'ACTIVE',
): Promise<GatewayLogLine[]> {
  const emulator = await startFace('keygen')
  emulator.control.updateLicense(emulator.demoLicense.id, { status })
  const { account = '', product = '', publicKey } = emulator.settings
  const right = { account: String(account), product: String(product), publicKey: String(publicKey) }
  const { of, lines } = gatewayOf(keygen({ ...right, baseUrl: emulator.baseUrl, ...wrong }))
  await of(emulator.licenseKey).keys()
  await of(emulator.licenseKey).activate(keyName)
  return lines
}

describe('the log names the setting of Keygen to check', () => {
  test('for a public key that is not the account’s', async () => {
    const line = {
      level: 'warn',
      code: 'upstream-unexpected-answer',
      upstreamStatus: 200,
      detail: expect.stringMatching(/^an answer without a valid signature .* LATCHKEY_KEYGEN_PUBLIC_KEY/u),
    }
    expect(await logOf({ publicKey: wrongKey })).toMatchObject([line, line])
  })

  test('for an unknown account, whose 404 is not signed', async () => {
    const detail = expect.stringMatching(/^an answer without a valid signature .* LATCHKEY_KEYGEN_ACCOUNT/u)
    const line = { code: 'upstream-unexpected-answer', upstreamStatus: 404, detail }
    expect(await logOf({ account: wrongAccount })).toMatchObject([line, line])
  })

  test('for a policy that allows no license keys', async () => {
    const detail = expect.stringMatching(
      /^set authenticationStrategy of the policy .* LATCHKEY_KEYGEN_TOKEN/u,
    )
    const line = { level: 'error', code: 'upstream-misconfigured', upstreamStatus: 403, detail }
    expect((await logOf({}, 'NOT_ALLOWED')).at(0)).toMatchObject(line)
  })

  test('for an unknown account without a public key', async () => {
    const detail = expect.stringMatching(/^the account is unknown: .* LATCHKEY_KEYGEN_ACCOUNT/u)
    const line = { level: 'error', code: 'upstream-misconfigured', upstreamStatus: 404, detail }
    expect(await logOf({ account: wrongAccount, publicKey: undefined })).toMatchObject([line, line])
  })
})
