import { expect, it } from 'vitest'
import { commerce } from '../src/commerce.ts'
import { dodo } from '../src/dodo.ts'
import { keygen } from '../src/keygen.ts'
import { lemonSqueezy } from '../src/lemon-squeezy.ts'
import { polar } from '../src/polar.ts'

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
  [() => polar({ organizationId, accessToken: 'a\nb' }), 'polar: accessToken contains a line break'],
  [
    () => lemonSqueezy({ storeId: 'inkwell', productId: 1 }),
    'lemonSqueezy: storeId must be the number of your store',
  ],
  [
    () => lemonSqueezy({ storeId: 1, productId: [2, 'pro'] }),
    'lemonSqueezy: productId[1] must be the number',
  ],
  [() => dodo({ productId: '' }), "dodo: productId must be your product's ID"],
  [() => dodo({ productId: 'pdt_1234', apiKey: '' }), 'dodo: apiKey is empty'],
  [() => keygen({ product: 'inkwell' }), 'keygen: account is missing: it must be the account ID'],
  [() => keygen({ account: 'a b', product: 'inkwell' }), 'keygen: account must be the account ID'],
  [() => keygen({ account: 'inkwell', product: 'inkwell', publicKey: 'abc' }), 'keygen: publicKey must be'],
  [() => keygen({ host: 'a b', product: 'inkwell' }), 'keygen: host is not a URL'],
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
  [
    () => polar({ organizationId, baseUrl: 'http://api.example' }),
    'polar: baseUrl must be an https:// address, except on this machine',
  ],
  [
    () => dodo({ productId: 'pdt_1234', baseUrl: 'https://me:secret@api.example' }),
    'dodo: baseUrl must not contain a user name or password',
  ],
  [
    () => untyped(polar, { organizationId, benefitID: 'pro' }),
    'polar: benefitID is not an option (did you mean "benefitId"?)',
  ],
  [
    () => untyped(lemonSqueezy, { storeID: 1, productId: 2 }),
    'storeID is not an option (did you mean "storeId"?)',
  ],
  [
    () => untyped(dodo, { productIds: ['pdt_1234'] }),
    'productIds is not an option (did you mean "productId"?)',
  ],
  [
    () => untyped(keygen, { account: 'inkwell', productId: 'ink' }),
    'productId is not an option (did you mean "product"?)',
  ],
  [() => untyped(polar), 'polar: organizationId is missing: it must be the UUID in Settings, General'],
  [() => untyped(lemonSqueezy), 'storeId is missing: it must be the number of your store'],
  [() => untyped(dodo), "dodo: productId is missing: it must be your product's ID"],
  [() => untyped(keygen), "keygen: product is missing: it must be the product's ID"],
  [() => commerce({ baseUrl: 'nowhere' }), 'baseUrl is not a URL'],
])('%s', (make, message) => {
  expect(make).toThrow(message)
})

it.each<[make: () => unknown, message: string]>([
  [
    () => untyped(polar, { organizationId, testMode: true }),
    'polar: testMode is not an option: the options are organizationId, benefitId, sandbox, accessToken, baseUrl, customerPortal',
  ],
  [() => untyped(polar, organizationId), 'polar: the argument must be an object'],
  [
    () => untyped(commerce, { baseUrl: 'https://licensing.example', accesstoken: 'a b' }),
    'commerce: accesstoken is not an option (did you mean "accessToken"?)',
  ],
])('names what is meant, or lists the options: %s', (make, message) => {
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
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
