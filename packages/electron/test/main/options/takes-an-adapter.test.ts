import type { LicenseService } from '@latchkey/services'
import { dodo } from '@latchkey/services/dodo'
import { keygen } from '@latchkey/services/keygen'
import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { polar } from '@latchkey/services/polar'
import { describe, expect, test } from 'vitest'
import { readDeepLink } from '../../../src/main/app-events/deep-link.ts'
import { maskSecrets } from '../../../src/main/diagnosis/masked-logger.ts'
import {
  LicensingOptionsError,
  parseLicensingOptions,
} from '../../../src/main/options/parse-licensing-options.ts'

const organizationId = 'fda84e25-7b55-4d67-916d-60ead04ff72f'
const polarKey = 'INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA'
const packaged = { isPackaged: true }

function linkedKey(
  text: string,
  findLicenseKey: LicenseService['findLicenseKey'],
): string | null | undefined {
  const options = { scheme: 'notes', findLicenseKey, takesAnswers: false }
  return readDeepLink(`notes://activate?license=${text}`, options)?.text
}

describe('an adapter in place of the address of a service', () => {
  test.each([
    polar({ organizationId }),
    dodo({ productId: 'pdt_1234' }),
    keygen({ account: 'inkwell', product: 'inkwell' }),
    lemonSqueezy({ storeId: 1, productId: 2 }),
  ])('$name is taken as it is, in a packaged app too', (service) => {
    const settings = parseLicensingOptions({ appId: 'com.example.notes', service }, packaged)
    expect(settings.service).toBe(service)
  })

  test.each([
    ['accessToken', polar({ organizationId, accessToken: 'secret-text' })],
    ['apiKey', dodo({ productId: 'pdt_1234', apiKey: 'secret-text' })],
    ['token', keygen({ account: 'inkwell', product: 'inkwell', token: 'secret-text' })],
    ['apiKey', lemonSqueezy({ storeId: 1, productId: 2, apiKey: 'secret-text' })],
  ])('with a vendor’s %s is refused in a packaged app, and the secret not shown', (name, service) => {
    const options = { appId: 'com.example.notes', service }
    expect(() => parseLicensingOptions(options, packaged)).toThrow(
      new RegExp(`^(?!.*secret-text).*${name}.*gateway`, 'u'),
    )
    expect(parseLicensingOptions(options, { isPackaged: false }).service).toBe(service)
  })

  test('is refused beside leaseKeys, which only a gateway can serve', () => {
    const leaseKeys = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x'.repeat(43) }] } as const
    const options = { appId: 'com.example.notes', service: polar({ organizationId }), leaseKeys }
    expect(() => parseLicensingOptions(options, { isPackaged: false })).toThrow(/leaseKeys need a gateway/u)
  })

  test('links the screen to the page where customers see their devices, unless the app has another one', () => {
    const linkOf = (window = {}): string | undefined => {
      const service = polar({ organizationId, customerPortal: 'https://polar.sh/inkwell/portal' })
      const options = { appId: 'com.example.notes', service, window }
      return parseLicensingOptions(options, packaged).window.links?.account
    }
    expect(linkOf()).toBe('https://polar.sh/inkwell/portal')
    expect(linkOf({ links: { account: 'https://inkwell.example/account' } })).toBe(
      'https://inkwell.example/account',
    )
    const withoutPage = { appId: 'com.example.notes', service: dodo({ productId: 'pdt_1234' }) }
    expect(parseLicensingOptions(withoutPage, packaged).window.links?.account).toBeUndefined()
    const withEmptyPage = { ...withoutPage, service: polar({ organizationId, customerPortal: '' }) }
    expect(parseLicensingOptions(withEmptyPage, packaged).window.links?.account).toBeUndefined()
  })

  test.each(['polar.sh/inkwell/portal', 'http://polar.sh/inkwell/portal', '/portal'])(
    'is refused with %j as the page for customers, which the screen could not open',
    (customerPortal) => {
      const service = polar({ organizationId, customerPortal })
      const options = { appId: 'com.example.notes', service }
      expect(() => parseLicensingOptions(options, packaged)).toThrow(LicensingOptionsError)
      expect(() => parseLicensingOptions(options, packaged)).toThrow(
        'service has the customerPortal of the polar adapter, which must be an https:// address',
      )
    },
  )

  test('that was not made yet is explained', () => {
    const options = { appId: 'com.example.notes', service: polar }
    expect(() => Reflect.apply(parseLicensingOptions, null, [options, packaged])).toThrow(/polar\(\{/u)
  })
})

describe('an app behind a gateway in front of such a service', () => {
  const service = { baseUrl: 'https://licenses.vendor.example/v1', licenseKeys: 'any' } as const

  test('finds a license key of any form in what was pasted', () => {
    const settings = parseLicensingOptions({ appId: 'com.example.notes', service }, packaged)
    expect(settings.service.findLicenseKey(`Your key: ${polarKey}. Thanks!`)).toEqual({
      ok: true,
      licenseKey: polarKey,
    })
  })

  test('reads the key of a link that arrives while the app is still starting', () => {
    const settings = parseLicensingOptions({ appId: 'com.example.notes', service }, packaged)
    const { findLicenseKey } = settings.service
    expect(linkedKey(polarKey, findLicenseKey)).toBe(polarKey)
    expect(linkedKey('two%20words', findLicenseKey)).toBeNull()
  })

  test('keeps finding UUIDs alone without that option, and a typo in it is named', () => {
    const options = { appId: 'com.example.notes', service: { baseUrl: service.baseUrl } }
    const { service: reached, takesAnyKey } = parseLicensingOptions(options, packaged)
    expect(reached.findLicenseKey(polarKey)).toMatchObject({ ok: false })
    expect(takesAnyKey).toBe(false)
    const wrong = { ...options, service: { ...options.service, licenseKeys: 'every' } }
    expect(() => Reflect.apply(parseLicensingOptions, null, [wrong, packaged])).toThrow(
      'service.licenseKeys must be "uuid" or "any"',
    )
  })
})

describe('a license key that isn’t a UUID', () => {
  const service = polar({ organizationId })
  const read = service.findLicenseKey

  test('comes in a link, letter for letter', () => {
    expect(linkedKey(polarKey, read)).toBe(polarKey)
    expect(linkedKey(`${polarKey}%20or`, read)).toBeNull()
    expect(linkedKey('hello', read)).toBeNull()
  })

  test.each(['INKWELL-', 'ÉCLAIR', 'E\u0301CLAIR', '墨水', 'INK&PEN', 'INK+', 'PRO!'])(
    'comes in a link with the prefix %s',
    (prefix) => {
      const licenseKey = `${prefix}-${polarKey.slice(8)}`
      expect(linkedKey(encodeURIComponent(licenseKey), read)).toBe(licenseKey)
    },
  )

  test('is masked in logs once it was sent, and so is an ID', () => {
    const text = maskSecrets(`${polarKey} and lki_7c2d9e40`, [], new Set([polarKey, 'lki_7c2d9e40']))
    expect(text).toBe('INKW••••04DA and lk••••40')
  })
})
