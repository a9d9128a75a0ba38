import { expect, it } from 'vitest'
import { commerce } from '../src/commerce.ts'
import { dodo } from '../src/dodo.ts'
import { keygen } from '../src/keygen.ts'
import { lemonSqueezy } from '../src/lemon-squeezy.ts'
import { polar } from '../src/polar.ts'

const adapters = { commerce, dodo, keygen, lemonSqueezy, polar }
type Name = keyof typeof adapters

/** Creates an adapter as a plain JavaScript file may. */
const create = (name: Name, options: unknown): unknown => Reflect.apply(adapters[name], undefined, [options])

const organizationId = 'fda84e25-7b55-4d67-916d-60ead04ff72f'
const productId = 'pdt_1234'

it.each<[name: Name, options: unknown, problem: string]>([
  ['polar', { organizationId: 'inkwell' }, 'organizationId must be the UUID in Settings, General'],
  ['polar', { organizationId, benefitId: 'pro' }, 'benefitId must be the UUID of the license key benefit'],
  ['polar', { organizationId, accessToken: 'a\nb' }, 'accessToken contains a line break'],
  ['polar', { organizationId, sandbox: 'false' }, 'sandbox must be true or false'],
  ['polar', { organizationId, baseUrl: 'http://api.example' }, 'baseUrl must be an https:// address, except'],
  ['polar', { organizationId, benefitID: 'pro' }, 'benefitID is not an option (did you mean "benefitId"?)'],
  [
    'polar',
    { organizationId, testMode: true },
    'testMode is not an option: the options are organizationId, benefitId, sandbox, accessToken, baseUrl, customerPortal',
  ],
  ['polar', organizationId, 'the argument must be an object'],
  ['polar', undefined, 'organizationId is missing: it must be the UUID in Settings, General'],
  ['lemonSqueezy', { storeId: 'inkwell', productId: 1 }, 'storeId must be the number of your store'],
  ['lemonSqueezy', { storeId: 1, productId: [2, 'pro'] }, 'productId[1] must be the number'],
  ['lemonSqueezy', { storeId: 1, productId: [] }, 'productId must be the number'],
  ['lemonSqueezy', { storeId: 1, productId: 2, testMode: 'true' }, 'testMode must be true or false'],
  ['lemonSqueezy', { storeId: 1 }, 'productId is missing: it must be the number'],
  ['dodo', { productId: '' }, "productId must be your product's ID"],
  ['dodo', { productId: [] }, "productId must be your product's ID"],
  ['dodo', { productId, apiKey: '' }, 'apiKey is empty'],
  ['dodo', { productId, testMode: 'false' }, 'testMode must be true or false'],
  ['dodo', { productId, baseUrl: 'https://me:secret@api.example' }, 'baseUrl must not contain a user name'],
  ['dodo', { productIds: [productId] }, "productId is missing: it must be your product's ID"],
  ['keygen', { product: 'inkwell' }, 'account is missing: it must be the account ID'],
  ['keygen', { account: 'a b', product: 'inkwell' }, 'account must be the account ID'],
  ['keygen', { account: 'inkwell', product: 'inkwell', publicKey: 'abc' }, 'publicKey must be'],
  [
    'keygen',
    { account: 'inkwell', product: 'inkwell', entitlements: 'false' },
    'entitlements must be true or',
  ],
  ['keygen', { host: 'a b', product: 'inkwell' }, 'host is not a URL'],
  [
    'keygen',
    { host: 'https://keygen.example', product: 'inkwell' },
    'host must be a host name, without https',
  ],
  ['keygen', undefined, "product is missing: it must be the product's ID"],
  ['commerce', { baseUrl: 'nowhere' }, 'baseUrl is not a URL'],
  ['commerce', { baseUrl: 'https://licensing.example', accesstoken: 'a b' }, 'accesstoken is not an option'],
])('%s refuses %j', (name, options, problem) => {
  expect(() => create(name, options)).toThrow(TypeError)
  expect(() => create(name, options)).toThrow(problem)
})

it('reads a switch that is false, null or missing as off', () => {
  const { baseUrl } = polar({ organizationId })
  expect(baseUrl).toBe('https://api.polar.sh')
  expect(polar({ organizationId, sandbox: false }).baseUrl).toBe(baseUrl)
  expect(create('polar', { organizationId, sandbox: null })).toHaveProperty('baseUrl', baseUrl)
  expect(polar({ organizationId, sandbox: true }).baseUrl).toBe('https://sandbox-api.polar.sh')
})

it('never shows a secret in the error message', () => {
  expect(() => polar({ organizationId, accessToken: 'polar_oat_very secret' })).not.toThrow('very secret')
  expect(() => dodo({ productId, baseUrl: 'https://me:secret@api.example' })).not.toThrow('secret@')
})

it.each(['keygen.example', 'keygen.example/', 'keygen.example/licensing'])(
  'accepts a Keygen server of one’s own at %s, with or without an account',
  (host) => {
    expect(keygen({ host, product: 'inkwell' }).name).toBe('keygen')
    expect(keygen({ host, account: 'inkwell', product: 'inkwell' }).name).toBe('keygen')
  },
)

it('says whether license keys of test mode are accepted', () => {
  const options = { storeId: 12345, productId: 67890 }
  expect(lemonSqueezy(options).testMode).toBe(false)
  expect(lemonSqueezy({ ...options, testMode: true }).testMode).toBe(true)
  // Its test mode has an address of its own.
  expect(dodo({ productId, testMode: true }).testMode).toBeUndefined()
})
