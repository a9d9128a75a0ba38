import { describe, expect, it } from 'vitest'
import { commerce } from '../src/commerce/index.ts'
import { dodo } from '../src/dodo/index.ts'
import { findAnyLicenseKey } from '../src/index.ts'
import { keygen } from '../src/keygen/index.ts'
import { lemonSqueezy } from '../src/lemon-squeezy/index.ts'
import { polar } from '../src/polar/index.ts'

const uuid = '38b1460a-5104-4067-a91d-77b872934d51'
const services = {
  commerce: commerce({ baseUrl: 'https://licensing.example/v1' }),
  dodo: dodo({ productId: 'pdt_0NVz1J3QmL2' }),
  keygen: keygen({ account: 'inkwell', product: 'inkwell' }),
  lemonSqueezy: lemonSqueezy({ storeId: 1, productId: 2 }),
  polar: polar({ organizationId: uuid }),
}

const keygenKey = 'C1B6DE-39A6E3-DE1529-8559A0-4AF593-V3'
const signedKey = 'key/eyJhY2NvdW50Ijp7ImlkIjoiMSJ9fQ==.c2lnbmF0dXJlX2J5dGVz-_w=='
const polarKey = 'INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA'

describe('finds', () => {
  it.each([
    ['commerce', `Key: ${uuid.toUpperCase()}.`, uuid],
    ['lemonSqueezy', `Key: ${uuid.toUpperCase()}.`, uuid.toUpperCase()],
    ['lemonSqueezy', `  ${uuid}\n`, uuid],
    ['polar', polarKey, polarKey],
    ['polar', `https://inkwell.example/activate?key=${polarKey}&from=mail`, polarKey],
    ['polar', `"${polarKey}"`, polarKey],
    ['polar', polarKey.slice(8), polarKey.slice(8)],
    ['polar', 'Your key is INKWELL-1C285B2D-6CE6-4BC7-\n  B8BE-ADB6A7E304DA', polarKey],
    ['polar', `MY.APP_2-${polarKey.slice(8)}`, `MY.APP_2-${polarKey.slice(8)}`],
    ['dodo', uuid, uuid],
    ['dodo', 'Key: Team-XK4F-99ab-Zz01, thanks', 'Team-XK4F-99ab-Zz01'],
    ['dodo', 'imported%key;1', 'imported%key;1'],
    ['keygen', `Your key: ${keygenKey}`, keygenKey],
    ['keygen', `Your key:\n${signedKey}\nBye`, signedKey],
    ['keygen', '<ABCDEFGH>', 'ABCDEFGH'],
    ['keygen', 'x'.repeat(2_048), 'x'.repeat(2_048)],
  ] as const)('for %s in %j', (name, text, licenseKey) => {
    expect(services[name].findLicenseKey(text)).toEqual({ ok: true, licenseKey })
  })
})

describe('does not find', () => {
  it.each([
    ['polar', '', 'empty-text'],
    ['polar', ' \u200b\n', 'empty-text'],
    ['polar', 'INKWELL', 'no-license-key'],
    ['lemonSqueezy', polarKey, 'no-license-key'],
    ['commerce', 'no key here', 'no-license-key'],
    ['dodo', 'no key here', 'no-license-key'],
    ['polar', `${polarKey} ${polarKey.replace('1C', '2D')}`, 'several-license-keys'],
    ['keygen', 'x'.repeat(2_049), 'no-license-key'],
    ['keygen', 'x'.repeat(10_001), 'text-too-long'],
  ] as const)('for %s in %j', (name, text, code) => {
    expect(services[name].findLicenseKey(text)).toEqual({ ok: false, code })
  })
})

it('finds one key when the same key is pasted twice', () => {
  expect(services.polar.findLicenseKey(`${polarKey}\n${polarKey}`)).toEqual({
    ok: true,
    licenseKey: polarKey,
  })
})

it.each([
  [`Key: ${uuid.toUpperCase()}.`, uuid.toUpperCase()],
  [`Key: ${polarKey}`, polarKey],
  [`Your key: ${keygenKey}`, keygenKey],
  [`Your key:\n${signedKey}\nBye`, signedKey],
  ['Key: Team-XK4F-99ab-Zz01, thanks', 'Team-XK4F-99ab-Zz01'],
])('behind a gateway, finds a key of any service in %j', (text, licenseKey) => {
  expect(findAnyLicenseKey(text)).toEqual({ ok: true, licenseKey })
})
