import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ControlError, dialects, type Emulator, startEmulator } from '../src/index.ts'

/** Calls a function as plain JavaScript does, where no type is checked. */
function call(method: (...inputs: never[]) => unknown, ...inputs: unknown[]): unknown {
  return Reflect.apply(method, undefined, inputs)
}

const operations = 'keys, key, activate, validate, deactivate, discounts, customers'

describe('startEmulator', () => {
  it.each([
    [{ noToken: true }, 'noToken is not an option (accessToken: null starts it without one).'],
    [{ token: 'x' }, 'token is not an option (use accessToken).'],
    [{ accesstoken: null }, 'accesstoken is not an option. Did you mean accessToken?'],
    [{ rateLimit: true }, 'rateLimit is not an option. Did you mean rateLimits?'],
    [{ data: 'shop.json' }, 'data is not an option (pass the data itself as seed).'],
    [
      { verbose: true },
      'verbose is not an option. The options are port, host, accessToken, seed, customers, discounts, face, rateLimits, dialect, requestLogLimit.',
    ],
    [{ dialect: 'Strict' }, 'dialect: unknown dialect "Strict"; use one of default, plain, strict.'],
    [
      { dialect: { ...dialects.default, keyPaging: null } },
      "dialect.keyPaging doesn't exist. Did you mean keysPaging?",
    ],
    [
      { dialect: { ...dialects.default, paging: { invalidPage: 'nearest' } } },
      'dialect.paging.beyondLast is missing: copy a dialect, such as dialects.default.',
    ],
    [
      { face: 'lemonSqueezy' },
      'face: unknown face "lemonSqueezy"; use one of commerce, dodo, keygen, lemon-squeezy, polar. Did you mean lemon-squeezy?',
    ],
    [{ accessToken: '' }, 'accessToken: the token is empty; null requires none.'],
    [{ seed: 'shop.json' }, 'seed: pass a number or the data itself, not the name of a file.'],
    [{ rateLimits: 'yes' }, 'rateLimits: Invalid input: expected boolean, received string.'],
    ['polar', 'pass an object, such as { port: 4010 }.'],
  ])('names the mistake in %j', async (options, message) => {
    const starting = call(startEmulator, options)
    await expect(starting).rejects.toThrow(new TypeError(`startEmulator: ${message}`))
  })

  it('uses the defaults for options set to undefined', async () => {
    const names = ['port', 'host', 'accessToken', 'seed', 'customers', 'discounts', 'face', 'rateLimits']
    const unset = Object.fromEntries(
      [...names, 'dialect', 'requestLogLimit'].map((name) => [name, undefined]),
    )
    const emulator = await startEmulator(unset)
    expect(emulator).toMatchObject({ face: 'commerce', accessToken: 'demo' })
    expect(emulator.control.dialect).toBe(dialects.default)
    await emulator.close()
  })
})

describe('the control', () => {
  let emulator: Emulator
  beforeAll(async () => {
    emulator = await startEmulator()
  })
  afterAll(() => emulator.close())

  it('keeps its dialect if there is none of that name', () => {
    const { control } = emulator
    expect(() => call(control.useDialect, 'plane')).toThrow(
      'dialect: unknown dialect "plane"; use one of default, plain, strict.',
    )
    expect(() => call(control.useDialect)).toThrow('dialect: unknown dialect undefined; use one of')
    expect(control.dialect).toBe(dialects.default)
  })

  it.each(['license', 'updateLicense', 'suspend', 'expire', 'reinstate', 'deleteLicense', 'keys'] as const)(
    'says that %s needs the id of a license',
    (method) => {
      const { control, demoLicense } = emulator
      const error = new ControlError('invalid', 'Pass the id of the license as text, such as license.id.')
      expect(() => call(control[method], demoLicense)).toThrow(error)
      expect(() => call(control[method])).toThrow(error)
    },
  )

  it('says that a key needs a name, and its removal an id', () => {
    const { control, demoLicense } = emulator
    expect(() => call(control.addKey, demoLicense, 'Laptop')).toThrow('Pass the id of the license as text')
    expect(() => call(control.addKey, demoLicense.id)).toThrow('Pass the name of the device as text.')
    const key = control.addKey(demoLicense.id, 'Laptop')
    expect(() => call(control.removeKey, demoLicense.id, key)).toThrow(
      'Pass the id of the key as text, such as key.id.',
    )
    expect(control.keys(demoLicense.id)).toEqual([key])
  })

  it.each([
    [
      { fault: 'reset', operation: 'activation' },
      `operation: unknown operation "activation"; use one of ${operations}.`,
    ],
    [
      { fault: 'reset', operation: ['activate', 'validat'] },
      `operation: unknown operation [ 'activate', 'validat' ]; use one of ${operations}.`,
    ],
    [
      { fault: 'rest' },
      'fault: unknown fault "rest"; use one of reset, timeout, status, html, empty, no-content, redirect, huge-body, gzip-bomb, slow-drip, truncated, cut, wrong-types, missing-fields, set-fields, content-type, delay, date-shift, date-missing. Did you mean reset?',
    ],
    [{ operation: 'keys' }, 'fault: unknown fault undefined; use one of reset, '],
    ['reset', 'input: pass an object such as { fault: "reset" }.'],
  ])('names what a fault may be instead of %j', (rule, message) => {
    expect(() => call(emulator.control.faults.inject, rule)).toThrow(message)
  })

  it.each(['5s', { forMs: 5000 }, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, null])(
    'keeps listening if it should pause for %j',
    async (forMs) => {
      const pausing = call(emulator.control.pause, forMs)
      const error = new ControlError('invalid', 'pause takes milliseconds, such as pause(5000).')
      await expect(pausing).rejects.toThrow(error)
      expect(emulator.control.isListening).toBe(true)
    },
  )

  it.each([
    [
      { customer: 4 },
      'input: unknown field "customer"; use one of customers, discounts. Did you mean customers?',
    ],
    [{ customers: '4' }, 'customers: Invalid input: expected number, received string.'],
    [{ customers: -3 }, 'customers: Too small: expected number to be >=0.'],
    [{ discounts: 1.5 }, 'discounts: Invalid input: expected int, received number.'],
    [4, 'input: Invalid input: expected object, received number.'],
  ])('keeps its lists if their lengths are %j', (totals, message) => {
    const { control } = emulator
    const before = control.dumpData()
    expect(() => call(control.setTotals, totals)).toThrow(new ControlError('invalid', message))
    expect(control.dumpData()).toEqual(before)
  })

  it.each([
    [
      { fault: 'delay', delayMs: 10, time: 1 },
      'input: unknown field "time"; use one of fault, delayMs, operation, licenseId, times, after, when. Did you mean times?',
    ],
    [
      { fault: 'reset', status: 500 },
      'input: unknown field "status"; use one of fault, operation, licenseId, times, after, when.',
    ],
  ])('names the fields of a fault for %j', (rule, message) => {
    expect(() => call(emulator.control.faults.inject, rule)).toThrow(new ControlError('invalid', message))
  })

  it('names the fields of a license', () => {
    const { control, demoLicense } = emulator
    const fields = 'activation_limit, expires_at, suspended_at, status, features'
    expect(() => call(control.createLicense, { seats: 3 })).toThrow(
      `input: unknown field "seats"; use one of id, ${fields}, keys.`,
    )
    expect(() => call(control.updateLicense, demoLicense.id, { expired_at: null })).toThrow(
      `input: unknown field "expired_at"; use one of ${fields}. Did you mean expires_at?`,
    )
  })

  it('says that the removal of a fault needs its id', () => {
    const { faults } = emulator.control
    expect(() => call(faults.remove, faults.inject({ fault: 'reset' }))).toThrow(
      'Pass the id of the fault, a number.',
    )
  })
})
