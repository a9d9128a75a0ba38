import { generateSigningKey, issueLicenseKey, signRevokedKeys } from '@latchkey/services/issue'
import { signedKeys } from '@latchkey/services/signed-keys'
import { expect, test } from 'vitest'
import { moves } from '../../src/index.ts'
import { keyName } from '../gateway-fixture.ts'
import { adapterOf, gatewayOf, startFace } from './face-fixture.ts'

test('a signed key that is revoked after a move takes no seat, and still frees the one that it has', async () => {
  const { signingKey, publicKey } = await generateSigningKey()
  const product = 'inkwell'
  const signedKey = await issueLicenseKey({ signingKey, product, id: 'order-1' })
  const emulator = await startFace('polar')
  const listUrl = 'https://vendor.example/revoked.json'
  let keys: readonly string[] = []
  const upstream = moves({
    from: signedKeys({
      publicKeys: [publicKey],
      product,
      revoked: { url: listUrl, publicKeys: [publicKey] },
    }),
    to: adapterOf('polar', emulator),
    licenseKeyOf: () => emulator.licenseKey,
  })
  const license = gatewayOf(upstream, {
    async fetch(...sent) {
      const request = new Request(...sent)
      if (request.url !== listUrl) return fetch(request)
      return Response.json(await signRevokedKeys({ signingKey, product, keys }))
    },
  }).of(signedKey)
  const { id } = (await license.activate(keyName)).body.key
  keys = [signedKey]
  expect((await license.activate('Other [fedcba9876543210]')).status).toBe(422)
  expect((await license.deactivate(id)).status).toBe(200)
  expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
})
