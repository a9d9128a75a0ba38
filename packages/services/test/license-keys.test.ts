import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commerce } from '../src/commerce.ts'
import { dodo } from '../src/dodo.ts'
import { findAnyLicenseKey, findLicenseKey, type LicenseKeyForm } from '../src/index.ts'
import { keygen } from '../src/keygen.ts'
import { lemonSqueezy } from '../src/lemon-squeezy.ts'
import { polar } from '../src/polar.ts'

const uuid = '38b1460a-5104-4067-a91d-77b872934d51'
const services = {
  commerce: commerce({ baseUrl: 'https://licensing.example/v1' }),
  dodo: dodo({ productId: 'pdt_0NVz1J3QmL2' }),
  keygen: keygen({ account: 'inkwell', product: 'inkwell' }),
  lemonSqueezy: lemonSqueezy({ storeId: 1, productId: 2 }),
  polar: polar({ organizationId: uuid }),
}

const polarKey = 'INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA'
const keygenKey = 'C1B6DE-39A6E3-DE1529-8559A0-4AF593-V3'
const signedKey = 'key/eyJhY2NvdW50Ijp7ImlkIjoiMSJ9fQ==.c2lnbmF0dXJlX2J5dGVz-_w=='
const plainKeys: readonly (readonly [form: LicenseKeyForm, key: string])[] = [
  ['uuid', uuid],
  ['prefixed-uuid', uuid],
  ['prefixed-uuid', polarKey],
  ['keygen', keygenKey],
  ['keygen', signedKey],
  ['keygen', 'AB12C-DE34F-GH56I'],
]
const prefixes = [
  ...['INKWELL-', 'BÜCHER', 'ÉCLAIR', 'E\u0301CLAIR', 'ЧЕРНИЛА', '墨水', 'インク', '잉크', 'INK&PEN', 'INK+'],
  ...['PRO!', 'INK_', 'V2.0', 'MY.APP_2', 'INK@HOME', 'X'.repeat(50), 'A-B-C-D-E-F'],
]
const allKeys: typeof plainKeys = [
  ...plainKeys,
  ['keygen', 'ÉCLAIR-1234-5678-9ABC'],
  ...prefixes.map((prefix) => ['prefixed-uuid', `${prefix}-${polarKey.slice(8)}`] as const),
]

/** Expects to find each key in a text that has it in place of `@`, for its own form and for any. */
function expectIn(text: string, keys: typeof plainKeys): void {
  for (const [form, licenseKey] of keys) {
    const pasted = text.replaceAll('@', () => licenseKey)
    for (const each of [form, 'any'] as const) {
      expect(findLicenseKey(pasted, each), pasted).toEqual({ ok: true, licenseKey })
    }
  }
}

describe('finds the key alone', () => {
  it.each([
    ...['@', ' @\n', 'Your key is @. Thanks!', 'licenseKey=@', 'Key:@', 'Schlüssel:@', 'Ключ:@', 'キー:@'],
    ...['https://inkwell.example/x?key=@&from=mail', 'inkwell.example/@', '"@"', '“@”', '(@),', '[@]'],
    ...[
      '{"key":"@"}',
      '**@**',
      '密钥：@。',
      '•@',
      'Ada <a>,@;1',
      '<b>@</b>',
      '@\n@',
      '- @',
      '#@!',
      '@!',
      '+@',
    ],
    ...['🔑@', '<@>,', '@です', 'मेरी कुंजी @।', 'Serial:@', 'Lizenz:@', 'S/N:@', 'ID:@', 'Inkwell:@'],
    ...['Clave:@', 'Seat1:@', '14:32:@', 'Serial#@', 'Key#@', 'Serial#:@', '@:3', 'Key=@', 'Key?@', '@;3'],
    ...['@&nbsp;', '&nbsp;@&nbsp;', '@&quot;', '&quot;@&quot;', '@&#39;'],
  ])('in %j', (text) => expectIn(text, allKeys))

  it.each([
    ...['您的密钥是@', 'ライセンスキー@', 'お客様のライセンスキー@を入力してください。', 'シリアルナンバー@'],
    ...['佐々@', 'ｷｰ@', '라이선스@', 'מפתח@', 'คีย์@', 'ที่@', 'कुंजी@', 'மீ@', '·@', '・@', 'مفتاح@'],
    'Ada, 您的密钥是@ ok',
  ])('beside the letters of a sentence in %j', (text) => expectIn(text, plainKeys))

  // Not the keys of Polar, because their prefix may have dots.
  it.each(['Key.@', 'No.@', '1.@'])('after a word with a dot in %j', (text) =>
    expectIn(text, [['uuid', uuid], ...plainKeys.slice(3)]),
  )

  it('without the hyphen before a prefix', () => expectIn('-@', [['prefixed-uuid', polarKey]]))
})

it.each([
  ...['ÉCLAIR-1234-5678-9ABC', 'Bücher-ABCD-EFGH-1234', 'ACME+ABCD-EFGH-1234', 'ACME&ABCD-EFGH-1234'],
  ...['PRO/ABCD-EFGH-1234', 'ABCD-EFGH-1234/PRO', 'pro:ABCD-EFGH', 'imported%key;1', 'x'.repeat(2_048)],
  ...[`${uuid}.PRO`, `${uuid}-PRO`, 'ABCD--EFGH--1234', 'ABCD_EFGH_1234', '墨水-1234-5678-ABCD', 'ABCDEFGH'],
])('takes the license key %.40s as a whole if it is alone', (key) => {
  for (const text of ['@', ' @\n', '"@"', '<@>,']) expectIn(text, [['keygen', key]])
})

it.each([
  ['commerce', `Key: ${uuid.toUpperCase()}.`, uuid],
  ['lemonSqueezy', `Key: ${uuid.toUpperCase()}.`, uuid.toUpperCase()],
  ['polar', polarKey, polarKey],
  ['dodo', 'Key: Team-XK4F-99ab-Zz01, thanks', 'Team-XK4F-99ab-Zz01'],
  ['keygen', `Your key:\n${signedKey}\nBye`, signedKey],
] as const)('%s finds keys of its form in %j', (name, text, licenseKey) => {
  expect(services[name].findLicenseKey(text)).toEqual({ ok: true, licenseKey })
})

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
] as const)('%s finds no key in %.40j', (name, text, code) => {
  expect(services[name].findLicenseKey(text)).toEqual({ ok: false, code })
})

it.each([
  ...[
    'a-',
    '--',
    'é',
    'é-',
    '墨',
    '墨a',
    '"',
    'x)))',
    '!',
    'a!-',
    '1a-',
    'a ',
    'a:',
    'key:',
    '.a/',
    '=',
    '/a1-',
  ],
  ...['ー', 'ー-', '่a', 'ก่a', '\u0301', 'a\u0301-', '1\u0301', '·', '&a', 'a1b2c3d4-', 'license ', 'key/a'],
  ...['license a1-', 'ABCD-EFGH-1234!', `${uuid}-`, `${uuid} `],
])('searches a long text of %j to its end', (part) => {
  // A pattern that backtracks would take minutes.
  for (const first of ['', '墨']) {
    for (const end of ['', ' y']) {
      const text = (first + part.repeat(9_998)).slice(0, 9_998) + end
      for (const form of ['prefixed-uuid', 'any'] as const) findLicenseKey(text, form)
    }
  }
})

const customKey = 'Inkwell-4B11E191A34E424CB391'
const time = '2026-11-01T10:00:00.000000Z'
const several = { ok: false, code: 'several-license-keys' }

describe.each([
  ...['License key: @', 'Lizenz: @', 'Votre clé de licence :\r\n  @', 'ライセンスキー：@', '许可证密钥 @'],
  ...['라이선스 키\n@', 'مفتاح الترخيص: @', '激活码：@'],
])('after a license word in %j,', (label) => {
  it.each([`Order: ${uuid}\n%`, `%\n\nOrder ${uuid}`])('finds a key beside an order number in %j', (mail) => {
    const text = mail.replace('%', label)
    expect(findAnyLicenseKey(text.replace('@', keygenKey))).toEqual({ ok: true, licenseKey: keygenKey })
    // It may as well be the name of a product.
    expect(findAnyLicenseKey(text.replace('@', customKey))).toEqual(several)
  })

  it.each([
    ...['Order: ORD-2026-0001234A\n%', '%\n\nSeat for ADA-MACBOOK-2026.'],
    ...[`license facts: expires ${time}\n%`, `%\nPaid at ${time}.`],
  ])('finds the key beside other groups or a time in %j', (mail) => {
    for (const licenseKey of [customKey, keygenKey]) {
      const text = mail.replace('%', label).replace('@', licenseKey)
      expect(findAnyLicenseKey(text)).toEqual({ ok: true, licenseKey })
    }
  })
})

it.each([
  ['a license word introduces only the name of a product', `licensing Inkwell-Studio-2026!\nKey: ${uuid}`],
  ['several keys are introduced', `License key: ${customKey}\nLicense key: ${customKey}2`],
])('asks if %s', (_what, text) => {
  expect(services.dodo.findLicenseKey(text)).toEqual(several)
})

it('takes no time for a license key', () => {
  const report = `license facts: expires ${time}, suspended no\nlast valid answer: ${time.replace('11', '12')}`
  for (const form of ['keygen', 'any'] as const) {
    expect(findLicenseKey(report, form)).toEqual({ ok: false, code: 'no-license-key' })
    const licenseKey = customKey
    expect(findLicenseKey(`${report}\nKey: ${licenseKey}`, form)).toEqual({ ok: true, licenseKey })
  }
})

const hex = (digits: number, letters = 'abcdef'): fc.Arbitrary<string> =>
  characters(`0123456789${letters}`, digits)

function characters(alphabet: string, length: number): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
    .map((chosen) => chosen.join(''))
}

const uuids = fc
  .tuple(...[8, 4, 4, 4, 12].map((digits) => hex(digits)))
  .chain((groups) => fc.constantFrom(groups.join('-'), groups.join('-').toUpperCase()))
const prefixedUuids = fc
  .tuple(fc.constantFrom('INKWELL', 'PRO', 'INK2', 'BÜCHER', 'ЧЕРНИЛА', 'A-B'), uuids)
  .map(([prefix, id]) => `${prefix}-${id.toUpperCase()}`)
const keygenKeys = fc
  .array(hex(6, 'ABCDEF'), { minLength: 5, maxLength: 5 })
  .map((groups) => `${groups.join('-')}-V3`)
const padded = (data: Uint8Array): string =>
  Buffer.from(data).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
const bytes = (length: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map(padded)
/** Signatures of Ed25519 and RSA, and of ECDSA, which begin with their length. */
const signature = fc.oneof(
  bytes(64),
  bytes(256),
  fc
    .tuple(fc.integer({ min: 68, max: 70 }), fc.uint8Array({ minLength: 70, maxLength: 70 }))
    .map(([length, data]) => padded(Uint8Array.of(0x30, length, ...data.slice(0, length)))),
)
const signedKeys = fc
  .tuple(fc.integer({ min: 10, max: 120 }).chain(bytes), signature)
  .map(([data, signed]) => `key/${data}.${signed}`)
const groupedKeys = fc
  .tuple(fc.integer({ min: 3, max: 6 }), fc.integer({ min: 4, max: 6 }))
  .chain(([groups, length]) =>
    fc.array(characters('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', length), {
      minLength: groups,
      maxLength: groups,
    }),
  )
  .chain((groups) => fc.constantFrom(groups.join('-'), `PRO-${groups.join('-')}`))
  .filter((key) => /\d/u.test(key) && /[A-Z]/u.test(key))

const forms: readonly (readonly [string, LicenseKeyForm, fc.Arbitrary<string>])[] = [
  ...(['uuid', 'prefixed-uuid', 'any'] as const).map((form) => ['a UUID', form, uuids] as const),
  ...(['prefixed-uuid', 'any'] as const).map(
    (form) => ['a UUID with a prefix', form, prefixedUuids] as const,
  ),
  ...(['keygen', 'any'] as const).flatMap((form) => [
    ['a key of Keygen', form, keygenKeys] as const,
    ['a signed key', form, signedKeys] as const,
    ['a grouped key', form, groupedKeys] as const,
  ]),
]

const breaks = [
  ...[' ', '  ', '\t', '\u00a0', '\u202f', '\u3000', '\u2028', '\n', '\r\n', '\r', '\n  ', ' \n'],
  ...['\n> ', '\r\n>> ', '\n> > ', '=\n', '=\r\n', '= \r\n', '\0', '\u200b\n'],
]
const around: readonly (readonly [string, string])[] = [
  ['', ''],
  ['License key: ', ''],
  ['Your key is ', '. Thanks!'],
  ['> Your key:\n> ', '\n>\n> Bye'],
  ['Hello,\n\n', '\n\nBye'],
  ['„', '“'],
]

/** A break at some places of a key, in a text around it. As quoted-printable, each `=` of the key is encoded. */
function textsWith(key: string): fc.Arbitrary<string> {
  return fc
    .record({
      places: fc.array(fc.integer({ min: 1, max: key.length - 1 }), { minLength: 1, maxLength: 4 }),
      column: fc.option(fc.integer({ min: 10, max: 76 })),
      brokenBy: fc.constantFrom(...breaks),
      mail: fc.constantFrom(...around),
    })
    .map(({ places, column, brokenBy, mail: [before, after] }) => {
      const isBreak = (index: number): boolean =>
        column === null ? places.includes(index) : index > 0 && (index + before.length) % column === 0
      const isEncoded = brokenBy.startsWith('=')
      const broken = Array.from(key, (character, index) => {
        const shown = isEncoded && character === '=' ? '=3D' : character
        return isBreak(index) ? brokenBy + shown : shown
      }).join('')
      return `${before}${broken}${after}`
    })
}

describe.each(forms)('%s (%s)', (_name, form, keys) => {
  it('is found whole or refused, however it is wrapped', () => {
    fc.assert(
      fc.property(
        keys.chain((key) => fc.tuple(fc.constant(key), textsWith(key))),
        ([key, text]) => {
          const found = findLicenseKey(text, form)
          if (found.ok) expect(found.licenseKey).toBe(key)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('is found whole where a mail program breaks its lines', () => {
    fc.assert(
      fc.property(keys, fc.constantFrom('\n', '\r\n> ', '=\r\n', '\u00a0'), (key, brokenBy) => {
        // At a hyphen, as mail programs prefer. A signed key may have none.
        const at = key.startsWith('key/') ? 76 : key.indexOf('-') + 1
        const escaped = brokenBy.startsWith('=') ? (part: string) => part.replaceAll('=', '=3D') : String
        const text = `License key: ${escaped(key.slice(0, at))}${brokenBy}${escaped(key.slice(at))}`
        expect(findLicenseKey(text, form)).toEqual({ ok: true, licenseKey: key })
      }),
      { numRuns: 300 },
    )
  })

  it('is never taken for a key when its end is missing', () => {
    fc.assert(
      fc.property(
        keys,
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(...around),
        (key, missing, [before, after]) => {
          // Nothing tells how many groups a key in a form of the vendor's own has.
          if (/^(?!key\/)(?:PRO-)?[\dA-Z]{4,6}(?:-[\dA-Z]{4,6}){2,5}$/u.test(key)) return
          const isSignature = key.startsWith('key/')
          const found = findLicenseKey(
            before + key.slice(0, isSignature ? -missing : -Math.min(missing, 2)) + after,
            form,
          )
          expect(found).toEqual({ ok: false, code: 'incomplete-license-key' })
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('a wrapped key from a public report', () => {
  it.each([
    ['key/AAAA.BBBB\nCCCC==', 'key/AAAA.BBBBCCCC=='],
    ['key/AAAA\nA1AA-BBBBBBBB\nAA.BBBB==', 'key/AAAAA1AA-BBBBBBBBAA.BBBB=='],
    ['> key/AAAA.BB=\n> BB=3D=3D', 'key/AAAA.BBBB=='],
    ['PRO-4B 11-C0DE-77AA', 'PRO-4B11-C0DE-77AA'],
    ['PRO-4B\u00a011-C0DE-77AA', 'PRO-4B11-C0DE-77AA'],
    ['PRO-4B\u202f11-C0DE-77AA', 'PRO-4B11-C0DE-77AA'],
    ['Key: PRO-4B\n11-C0DE-77AA', 'PRO-4B11-C0DE-77AA'],
    ['ＰＲＯ－４Ｂ１１－Ｃ０ＤＥ－７７ＡＡ', 'PRO-4B11-C0DE-77AA'],
    ['PRO\u30004B11'.replace('\u3000', '―').concat('–C0DE‒77AA'), 'PRO-4B11-C0DE-77AA'],
  ])('is found whole in %j', (text, licenseKey) => {
    for (const form of ['keygen', 'any'] as const) {
      expect(findLicenseKey(text, form)).toEqual({ ok: true, licenseKey })
    }
  })

  it.each([
    'key/AAAA.BBBBCCCC',
    'key/AAAA',
    'key/eyJhY2NvdW50Ijp7ImlkIjoiMSJ9fQ==.c2ln',
    'Your key: key/AAAA1AA-BBBBBBBB',
  ])('is refused when a part is missing, as in %j', (text) => {
    for (const form of ['keygen', 'any'] as const) {
      expect(findLicenseKey(text, form)).toEqual({ ok: false, code: 'incomplete-license-key' })
    }
  })

  it.each([
    ['PRO-4B11-C0DE-77A\u0430', '\u0430'],
    ['PRO-\u0421\u041e-C0DE-77AA', '\u0421'],
    ['PROー4B11ーC0DEー77AA', 'ー'],
    ['PROｰ4B11ｰC0DEｰ77AA', 'ー'],
    ['PRO-4B\u000011-C0DE-77AA', '\0'],
    ['PRO-4B11-C0DE-77AA\ufffd', '\ufffd'],
    ['Your key: PRO-4B11-C0DE-77AA\ufffd Bye', '\ufffd'],
  ])('names the character that does not belong in %j', (text, character) => {
    for (const form of ['keygen', 'any'] as const) {
      expect(findLicenseKey(text, form)).toEqual({ ok: false, code: 'foreign-character', character })
    }
  })

  it('names a foreign letter in a UUID', () => {
    const text = '1f0\u04306c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d'
    const found = { ok: false, code: 'foreign-character', character: '\u0430' }
    expect(findLicenseKey(text, 'uuid')).toEqual(found)
    expect(findLicenseKey(`INKWELL-${text}`, 'prefixed-uuid')).toEqual(found)
  })
})
