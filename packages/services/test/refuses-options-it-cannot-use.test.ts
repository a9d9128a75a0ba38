import { expect, it } from 'vitest'
import { commerce } from '../src/commerce/index.ts'
import { dodo } from '../src/dodo/index.ts'
import { keygen } from '../src/keygen/index.ts'
import { lemonSqueezy } from '../src/lemon-squeezy/index.ts'
import { polar } from '../src/polar/index.ts'

/** Calls an adapter as a plain JavaScript file may. */
const untyped = (adapter: (options: never) => unknown, ...options: readonly unknown[]): unknown =>
  Reflect.apply(adapter, undefined, options)

const organizationId = 'fda84e25-7b55-4d67-916d-60ead04ff72f'

it.each<[make: () => unknown, message: string]>([
  [() => polar({ organizationId: 'inkwell' }), 'polar: organizationId must be the UUID in Settings, General'],
  [
    () => polar({ organizationId, benefitId: 'pro' }),
    'polar: benefitId must be the UUID of the license key benefit',
  ],
  [() => polar({ organizationId, accessToken: 'a\nb' }), 'polar: accessToken is empty or has a space'],
  [
    () => lemonSqueezy({ storeId: 'inkwell', productId: 1 }),
    'lemonSqueezy: storeId must be the number of your store',
  ],
  [() => lemonSqueezy({ storeId: 1, productId: [2, 'pro'] }), 'lemonSqueezy: productId must be the number'],
  [() => dodo({ productId: '' }), "dodo: productId must be your product's ID"],
  [() => dodo({ productId: 'pdt_1234', apiKey: '' }), 'dodo: apiKey is empty'],
  [() => keygen({ product: 'inkwell' }), 'keygen: account is missing'],
  [() => keygen({ account: 'a b', product: 'inkwell' }), 'keygen: account must be the account ID'],
  [() => keygen({ account: 'inkwell', product: 'inkwell', publicKey: 'abc' }), 'keygen: publicKey must be'],
  [() => keygen({ host: 'a b', product: 'inkwell' }), 'keygen: baseUrl must be an https:// URL'],
  [
    () => keygen({ host: 'https://keygen.example', product: 'inkwell' }),
    'keygen: host must be a host name, without https://',
  ],
  [
    () => untyped(keygen, { account: 'inkwell', product: 'inkwell', entitlements: 'false' }),
    'keygen: entitlements must be true or false',
  ],
  [() => untyped(dodo, { productId: 'pdt_1234', testMode: 'false' }), 'dodo: testMode must be true or false'],
  [() => untyped(polar, { organizationId, sandbox: 'false' }), 'polar: sandbox must be true or false'],
  [
    () => untyped(lemonSqueezy, { storeId: 1, productId: 2, testMode: 'true' }),
    'lemonSqueezy: testMode must be true or false',
  ],
  [() => lemonSqueezy({ storeId: 1, productId: [] }), 'lemonSqueezy: productId must be the number'],
  [() => dodo({ productId: [] }), "dodo: productId must be your product's ID"],
  [() => polar({ organizationId, baseUrl: 'http://api.example' }), 'polar: baseUrl must be an https:// URL'],
  [
    () => dodo({ productId: 'pdt_1234', baseUrl: 'https://me:secret@api.example' }),
    'dodo: baseUrl must be an https:// URL without user name',
  ],
  [() => untyped(polar, { organizationId, benefitID: 'pro' }), 'polar: benefitID is not an option'],
  [() => untyped(lemonSqueezy, { storeID: 1, productId: 2 }), 'lemonSqueezy: storeID is not an option'],
  [() => untyped(dodo, { productIds: ['pdt_1234'] }), 'dodo: productIds is not an option'],
  [() => untyped(keygen, { account: 'inkwell', productId: 'ink' }), 'keygen: productId is not an option'],
  [() => untyped(polar), 'polar: organizationId must be the UUID in Settings, General'],
  [() => untyped(lemonSqueezy), 'lemonSqueezy: storeId must be the number of your store'],
  [() => untyped(dodo), "dodo: productId must be your product's ID"],
  [() => untyped(keygen), 'keygen: account is missing'],
  [() => commerce({ baseUrl: 'nowhere' }), 'baseUrl is not a URL'],
])('%s', (make, message) => {
  expect(make).toThrow(message)
})

it.each<[make: () => unknown, message: string]>([
  [
    () => untyped(polar, { organizationId, testMode: true }),
    'polar: testMode is not an option, only organizationId, benefitId, sandbox, accessToken, baseUrl, customerPortal',
  ],
  [
    () => untyped(polar, organizationId),
    'polar: 0 is not an option, only organizationId, benefitId, sandbox, accessToken, baseUrl, customerPortal',
  ],
  [
    () => untyped(lemonSqueezy, { storeId: 1, productId: 2, variantId: 3 }),
    'lemonSqueezy: variantId is not an option, only storeId, productId, apiKey, testMode, baseUrl, customerPortal',
  ],
  [
    () => untyped(dodo, { productId: 'pdt_1234', sandbox: true }),
    'dodo: sandbox is not an option, only productId, testMode, apiKey, baseUrl, customerPortal',
  ],
  [
    () => untyped(keygen, { accountId: 'inkwell', product: 'inkwell' }),
    'keygen: accountId is not an option, only account, product, publicKey, host, baseUrl, token, entitlements, customerPortal',
  ],
])('lists the options beside one that does not exist: %s', (make, message) => {
  expect(make).toThrow(new TypeError(message))
})

it('reads a switch that is false, null or missing as off', () => {
  const { baseUrl } = polar({ organizationId })
  expect(baseUrl).toBe('https://api.polar.sh')
  expect(polar({ organizationId, sandbox: false }).baseUrl).toBe(baseUrl)
  expect(untyped(polar, { organizationId, sandbox: null })).toHaveProperty('baseUrl', baseUrl)
  expect(polar({ organizationId, sandbox: true }).baseUrl).toBe('https://sandbox-api.polar.sh')
})

it('never shows a secret in the error message', () => {
  const secret = 'polar_oat_very secret'
  expect(() => polar({ organizationId, accessToken: secret })).not.toThrow('very secret')
  expect(() => dodo({ productId: 'pdt_1234', baseUrl: 'https://me:secret@api.example' })).not.toThrow(
    'secret@',
  )
})

it('accepts a self-hosted Keygen server, with or without an account', () => {
  expect(keygen({ host: 'keygen.example', product: 'inkwell' }).name).toBe('keygen')
  expect(keygen({ host: 'keygen.example/', product: 'inkwell' }).name).toBe('keygen')
  expect(keygen({ host: 'keygen.example/licensing', product: 'inkwell' }).name).toBe('keygen')
  expect(keygen({ host: 'keygen.example', account: 'inkwell', product: 'inkwell' }).name).toBe('keygen')
})
