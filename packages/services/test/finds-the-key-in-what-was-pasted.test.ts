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
    ...[
      '🔑@',
      '<@>,',
      '@です',
      'मेरी कुंजी @।',
      'Serial:@',
      'Lizenz:@',
      'S/N:@',
      'ID:@',
      'Inkwell:@',
      'Clave:@',
    ],
    ...['Seat1:@', '14:32:@', 'Serial#@', 'Key#@', 'Serial#:@', '@:3', 'Key=@', 'Key?@', '@;3', '@&nbsp;'],
    ...['&nbsp;@&nbsp;', '@&quot;', '&quot;@&quot;', '@&#39;'],
  ])('in %j', (text) => expectIn(text, allKeys))

  it.each([
    ...[
      '您的密钥是@',
      'ライセンスキー@',
      'お客様のライセンスキー@を入力してください。',
      'シリアルナンバー@',
      '佐々@',
      'ｷｰ@',
    ],
    ...['라이선스@', 'מפתח@', 'คีย์@', 'ที่@', 'कुंजी@', 'மீ@', '·@', '・@', 'Ada, 您的密钥是@ ok', 'مفتاح@'],
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
