import { generateKeyPairSync } from 'node:crypto'
import { dodo } from '@latchkey/services/dodo'
import { describe, expect, test } from 'vitest'
import { english } from '../../../src/dialog/texts/load-strings.ts'
import { createStringNameCheck, placeholders } from '../../../src/main/options/check-string-names.ts'
import type { LicensingOptions } from '../../../src/main/options/licensing-options.ts'
import {
  parseActivationWindowOptions,
  parseLicensingOptions,
} from '../../../src/main/options/parse-licensing-options.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const usable: LicensingOptions = {
  appId: 'com.example.notes',
  service: { baseUrl: 'https://example.com/v1' },
}
const parse = (options: object): unknown =>
  parseLicensingOptions({ ...usable, ...options }, { isPackaged: false })

describe('a mistyped option is refused with the right name', () => {
  test.each([
    [{ graceDay: 3 }, 'graceDays'],
    [{ service: { baseURL: 'https://example.com/v1', baseUrl: 'https://example.com/v1' } }, 'baseUrl'],
    [{ window: { acent: 'red' } }, 'accent'],
    [{ window: { links: { suport: 'https://example.com' } } }, 'support'],
    [{ trial: 14 }, 'trialDays'],
    [{ log: {} }, 'logger'],
  ])('%j', (options, meant) => {
    expect(() => parse(options)).toThrow(`did you mean "${meant}"?`)
  })

  test('one that resembles no option is refused too', () => {
    expect(() => parse({ quantumFlux: 1 })).toThrow(
      'quantumFlux is not an option of createLicensing: check its spelling',
    )
    expect(() => parse({ window: { links: { bye: 'https://example.com' } } })).toThrow(
      'window.links.bye is not an option of createLicensing: window.links has buy, renew, coveredVersion, support',
    )
  })

  test.each([
    [{ licenseKeys: 'any' }, 'licenseKeys', 'in service: { licenseKeys }'],
    [{ accessToken: 'demo' }, 'accessToken', 'in service: { accessToken }'],
    [{ service: undefined, baseUrl: 'https://example.com/v1' }, 'baseUrl', 'in service: { baseUrl }'],
    [{ timeout: 5000 }, 'timeout', 'in service: { timeout }'],
    [{ releasedAt: '2026-11-22' }, 'releasedAt', 'in build: { releasedAt }'],
    [{ label: 'Laptop' }, 'label', 'in device: { label }'],
    [{ title: 'Notes' }, 'title', 'in window: { title }'],
    [{ links: {} }, 'links', 'in window: { links }'],
    [{ window: { buy: 'https://example.com' } }, 'window.buy', 'in window: { links: { buy } }'],
    [
      { service: { ...usable.service, leaseKeys: {} } },
      'service.leaseKeys',
      'at the top level: createLicensing({ leaseKeys })',
    ],
  ])('one at another level is refused with its place: %j', (options, name, place) => {
    expect(() => parse(options)).toThrow(
      `createLicensing: ${name} is not an option of createLicensing: it belongs ${place}.`,
    )
  })

  test('an adapter doesn’t have the options of an address', () => {
    const service = dodo({ productId: 'pdt_1234' })
    expect(() => parse({ service, accessToken: 'demo' })).toThrow(
      'accessToken is not an option of createLicensing: check its spelling, or pass it to the function that creates the adapter',
    )
    expect(() => parse({ service, title: 'Notes' })).toThrow('it belongs in window: { title }')
  })

  test('an address doesn’t have the options of an adapter', () => {
    expect(() => parse({ service: { organizationId: 'fda84e25' } })).toThrow(
      /service has baseUrl, .*headers\. An adapter takes its options itself, such as polar\(\{ organizationId: "…" \}\)/u,
    )
  })

  test.each([
    { account: 'inkwell', product: 'inkwell' },
    { productId: 'pdt_1234', title: 'x' },
    { title: 'x' },
  ])('a service without an address is probably an adapter’s options: %j', (service) => {
    expect(() => parse({ service })).toThrow(
      /: service has baseUrl, .*headers\. An adapter takes its options itself/u,
    )
  })

  test('an adapter isn’t spread into the options, or awaited by createLicensing', () => {
    const adapter = dodo({ productId: 'pdt_1234' })
    expect(() => parse({ service: undefined, ...adapter })).toThrow('an adapter belongs in service, such as')
    expect(() => parse({ service: Promise.resolve(adapter) })).toThrow('service is a promise: await it')
  })

  test('an adapter belongs in service', () => {
    for (const service of [undefined, usable.service]) {
      expect(() => parse({ service, polar: dodo({ productId: 'pdt_1234' }) })).toThrow(
        'polar is not an option of createLicensing: an adapter belongs in service, such as service: polar({',
      )
    }
  })

  test('a URL as service is answered with what it must be', () => {
    expect(() => parse({ service: new URL('https://example.com/v1') })).toThrow(
      'createLicensing: service must be an object with the baseUrl',
    )
  })

  test.each(['id', 'url'])('%s could be several, so no place is named', (name) => {
    expect(() => parse({ [name]: 'x' })).toThrow(`${name} is not an option of createLicensing: check`)
  })

  test('for one activation window as well, with the name of its function', () => {
    const open = (options: object) => () => parseActivationWindowOptions(options)
    const prefix = 'openActivationWindow: '
    expect(open({ links: { title: 'x' } })).toThrow(
      `${prefix}links.title is not an option of openActivationWindow: it belongs at the top level: openActivationWindow({ title }).`,
    )
    expect(open({ titel: 'x' })).toThrow(
      `${prefix}titel is not an option of openActivationWindow (did you mean "title"?).`,
    )
    expect(open({ text: 'x' })).toThrow(
      `${prefix}text is not an option of openActivationWindow: openActivationWindow has title, logo, accent, links, locale, strings, parent, prefilledText.`,
    )
    expect(open({ buy: 'x' })).toThrow('it belongs in links: { buy }')
    expect(open({ links: { buy: 'x' } })).toThrow(`${prefix}links.buy must be an https:// address.`)
  })
})

describe('a placeholder in a link', () => {
  const links = (coveredVersion: string): object => ({ window: { links: { coveredVersion } } })

  test.each(['{expires}', '{ExpiresAt}', '{{expiresAt}}', '{expiresAt'])('%s is refused', (placeholder) => {
    expect(() => parse(links(`https://example.com/versions?until=${placeholder}`))).toThrow(
      'window.links.coveredVersion has a placeholder that does not exist: the only one is {expiresAt}',
    )
  })

  test.each(['{expiresAt}', '{expiresAt}&to={expiresAt}', '%7Bexpires%7D'])('%s is taken', (placeholder) => {
    expect(() => parse(links(`https://example.com/versions?until=${placeholder}`))).not.toThrow()
  })
})

describe('window.accent', () => {
  test.each([
    '#abc',
    '#0a7c66',
    '#0a7c66ff',
    'teal',
    'RebeccaPurple',
    'AccentColor',
    'oklch(60% 0.1 200)',
    'rgb(1 2 3 / 50%)',
    'hsl(calc(180 + 20) 50% 40%)',
    'color-mix(in oklch, teal, black 20%)',
    'color(display-p3 0 0.5 0.4)',
  ])('takes %s', (accent) => {
    expect(() => parse({ window: { accent } })).not.toThrow()
  })

  test.each([
    'var(--brand)',
    'rgb(var(--red) 0 0)',
    'linear-gradient(red,blue)',
    'url(logo.png)',
    'calc(1 + 2)',
  ])('%s is refused, because it is no color in the window', (accent) => {
    expect(() => parse({ window: { accent } })).toThrow('window.accent must be a CSS color such as')
  })

  test('that isn’t a color is refused, with the nearest name', () => {
    expect(() => parse({ window: { accent: 'blau' } })).toThrow('(did you mean "blue"?)')
    expect(() => parse({ window: { accent: '#12' } })).toThrow('must be a CSS color')
    expect(() => parse({ window: { accent: 7 } })).toThrow('must be a CSS color')
  })
})

describe('window.strings', () => {
  const warned = (given: object): readonly string[] => {
    const logger = createRecordingLogger()
    createStringNameCheck(logger)(given)
    return logger.lines
  }

  test.each([
    ['trialHeading', 'trialHeading.other'],
    ['graceLeed.one', 'graceLead.one'],
    ['offline', 'problems.offline'],
    ['no-seat-left', 'problems.no-seat-left'],
    ['offline.headin', 'offline.heading'],
  ])('with the key %s gets a name that a text has', (name, meant) => {
    expect(warned({ [name]: 'x' })).toEqual([expect.stringContaining(`(did you mean "${meant}"?)`)])
  })

  test.each([
    ['enterLead', 'Hello {ap}', '{ap}', '{app}'],
    ['enterLead', '{date}: {app}', '{date}', '{app}'],
    ['trialHeading.one', '{days} day left', '{days}', '{app}, {count}'],
    ['problems.offline', 'No {net}', '{net}', '{app}'],
  ])('whose text %s is %j are warned of, because a placeholder stays', (name, text, stays, known) => {
    expect(warned({ [name]: text })).toEqual([
      `warn window.strings.${name} contains ${stays}, which stays as it is: the placeholders of this text are ${known}`,
    ])
  })

  test('may have the placeholders of the built-in texts, and braces that are none', () => {
    const { problems: _, ...screen } = english.strings
    const { problems: __, ...offlineScreen } = english.offlineStrings
    const texts: Record<string, readonly string[]> = {}
    const collect = (name: string, text: string): void => {
      const found = [...text.matchAll(/\{(\w+)\}/gu)].flatMap(([, given = '']) =>
        given === 'app' ? [] : given,
      )
      if (found.length > 0) texts[name] = [...new Set(found)]
    }
    for (const [name, text] of Object.entries(screen)) collect(name, Object.values(Object(text)).join(''))
    for (const [name, text] of Object.entries(offlineScreen)) collect(`offline.${name}`, text)
    expect(placeholders).toEqual(texts)
    expect(warned({ enterLead: '{ key }, {}', expiredLead: '{app} {date}' })).toEqual([])
  })

  test.each([{ problems: { offline: 'x' } }, { de: { activate: 'x' } }, { trialHeading: { one: 'x' } }])(
    'that are nested are refused, with how to write them: %j',
    (given) => {
      expect(() => parse({ window: { strings: given } })).toThrow(
        `window.strings.${Object.keys(given)} must be text. Write a nested key with a dot, such as "problems.offline"`,
      )
      expect(() => parse({ window: { strings: { activate: 7 } } })).toThrow(
        'window.strings.activate must be text.',
      )
    },
  )

  test('of names the screen does not have are warned of once, with the nearest name', () => {
    const logger = createRecordingLogger()
    const check = createStringNameCheck(logger)
    const given = {
      aktivate: 'Go',
      activate: 'Go',
      'problems.ofline': 'x',
      'problems.offline': 'x',
      'graceLead.one': 'x',
      'offline.requestHeading': 'x',
      'offline.requestHeding': 'x',
      'problems.offline-answer-torn': 'x',
    }
    check(given)
    check(given)
    check(undefined)
    expect(logger.lines).toEqual([
      'warn window.strings.aktivate is not a text of the activation window (did you mean "activate"?)',
      'warn window.strings.problems.ofline is not a text of the activation window (did you mean "problems.offline"?)',
      'warn window.strings.offline.requestHeding is not a text of the activation window (did you mean "offline.requestHeading"?)',
    ])
  })
})

describe('a service on another machine by plain http', () => {
  test('is refused, for license keys would be read on the way', () => {
    expect(() => parse({ service: { baseUrl: 'http://licensing.example.com/v1' } })).toThrow(
      'service.allowInsecure',
    )
  })

  test.each([
    'http://localhost:8080/v1',
    'http://127.0.0.1/v1',
    'http://127.1/v1',
    'http://app.localhost/v1',
    'http://[::1]/v1',
  ])('%s is this machine', (baseUrl) => {
    expect(() => parse({ service: { baseUrl } })).not.toThrow()
  })

  test('is used where that is allowed by name', () => {
    expect(parse({ service: { baseUrl: 'http://10.0.0.5/v1', allowInsecure: true } })).toMatchObject({
      service: { allowInsecure: true },
    })
  })
})

test('a private key in leaseKeys is refused, and not shown', () => {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const { d, ...half } = jwk
  expect(() => parse({ leaseKeys: { keys: [half] } })).not.toThrow()
  expect(() => parse({ leaseKeys: { keys: [half, jwk] } })).toThrow(/leaseKeys\.keys\.1\.d is a private key/u)
  expect(() => parse({ leaseKeys: { keys: [jwk] } })).not.toThrow(String(d))
})
