import { describe, expect, it } from 'vitest'
import { commerce } from '../src/commerce.ts'
import { dodo } from '../src/dodo.ts'
import { findAnyLicenseKey, findLicenseKey } from '../src/index.ts'
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

const prefixes = [
  ...['INKWELL', 'INKWELL-', 'BÜCHER', 'ÉCLAIR', 'E\u0301CLAIR', 'ЧЕРНИЛА', '墨水', 'インク', '잉크'],
  ...['INK&PEN', 'INK+', 'PRO!', 'INK_', 'V2.0', 'INK@HOME', 'X'.repeat(50), 'A-B-C-D-E-F'],
]

describe.each(prefixes)('with the prefix %s, finds the whole key', (prefix) => {
  const key = `${prefix}-${polarKey.slice(8)}`
  it.each([
    ...[key, `Your key is ${key}. Thanks!`, `licenseKey=${key}`, `Key:${key}`, `Schlüssel:${key}`],
    ...[`https://inkwell.example/x?key=${key}&from=mail`, `"${key}"`, `“${key}”`, `(${key}),`, `**${key}**`],
    ...[`密钥：${key}。`, `•${key}`, `ada@inkwell.example,${key};1`, `<b>${key}</b>`, `${key}\n${key}`],
    ...[key.replace('6CE6-', '6CE6-\n  '), `- ${key}`, `#${key}!`],
  ])('in %j', (text) => {
    for (const { findLicenseKey } of [services.polar, services.dodo]) {
      expect(findLicenseKey(text)).toEqual({ ok: true, licenseKey: key })
    }
    expect(findAnyLicenseKey(text)).toEqual({ ok: true, licenseKey: key })
  })
})

it.each([
  ...[`您的密钥是${polarKey}`, `${polarKey}です`, `मेरी कुंजी ${polarKey}।`, `مفتاح${polarKey}`],
  ...[`+${polarKey}`, `-${polarKey}`, `🔑${polarKey}`],
])('finds a key beside the letters and marks of a sentence in %j', (text) => {
  expect(services.polar.findLicenseKey(text)).toEqual({ ok: true, licenseKey: polarKey })
})

describe.each([
  ...['ÉCLAIR-1234-5678-9ABC', 'Bücher-ABCD-EFGH-1234', 'ACME+ABCD-EFGH-1234', 'ACME&ABCD-EFGH-1234'],
  ...['PRO/ABCD-EFGH-1234', 'ABCD-EFGH-1234/PRO', 'pro:ABCD-EFGH'],
  ...[`${uuid}.PRO`, `${uuid}-PRO`, 'ABCD--EFGH--1234', 'ABCD_EFGH_1234', '墨水-1234-5678-ABCD'],
])('takes the license key %s', (key) => {
  it.each([key, ` ${key}\n`, `"${key}"`, `<${key}>,`])('as a whole in %j', (text) => {
    expect(services.dodo.findLicenseKey(text)).toEqual({ ok: true, licenseKey: key })
    expect(services.keygen.findLicenseKey(text)).toEqual({ ok: true, licenseKey: key })
    expect(findAnyLicenseKey(text)).toEqual({ ok: true, licenseKey: key })
  })
})

const groupedKey = 'AB12C-DE34F-GH56I'
const keysOfServices = [
  ...([polarKey, uuid].map((key) => ['polar', key]) as ['polar', string][]),
  ...([polarKey, uuid, groupedKey].map((key) => ['dodo', key]) as ['dodo', string][]),
  ...([keygenKey, signedKey, groupedKey].map((key) => ['keygen', key]) as ['keygen', string][]),
]

describe.each([
  ...[
    '您的密钥是',
    'ライセンスキー',
    'お客様のライセンスキー',
    'シリアルナンバー',
    '佐々',
    'ｷｰ',
    '라이선스',
    'מפתח',
  ],
  ...['คีย์', 'ที่', 'कुंजी', 'மீ', '·', '・'],
])('directly after %s, which a sentence may end with,', (before) => {
  it.each(keysOfServices)('finds the key alone for %s: %s', (name, key) => {
    for (const text of [
      `${before}${key}`,
      `${before}${key}を入力してください。`,
      `Ada, ${before}${key} ok`,
    ]) {
      expect(services[name].findLicenseKey(text)).toEqual({ ok: true, licenseKey: key })
      expect(findAnyLicenseKey(text)).toEqual({ ok: true, licenseKey: key })
    }
  })
})

describe.each([
  ...[
    'Serial:@',
    'Lizenz:@',
    'S/N:@',
    'ID:@',
    'Inkwell:@',
    'Clave:@',
    'Ключ:@',
    'キー:@',
    'Seat1:@',
    '14:32:@',
  ],
  ...['Serial#@', 'Key#@', 'Serial#:@', '@:3', 'Key=@', 'Key?@', '@;3'],
  ...['@&nbsp;', '&nbsp;@&nbsp;', '@&quot;', '&quot;@&quot;', '@&#39;'],
])('with a label or what is left of a page in %j,', (text) => {
  it.each(keysOfServices)('finds the key alone for %s: %s', (name, key) => {
    expect(services[name].findLicenseKey(text.replace('@', key))).toEqual({ ok: true, licenseKey: key })
    expect(findAnyLicenseKey(text.replace('@', key))).toEqual({ ok: true, licenseKey: key })
  })
})

// Not Polar's keys, because their prefix may have dots.
describe.each(['Key.', 'No.', '1.'])('after %j,', (label) => {
  it.each([
    ['dodo', uuid],
    ['dodo', groupedKey],
    ['keygen', keygenKey],
    ['keygen', groupedKey],
  ] as const)('finds the key alone for %s: %s', (name, key) => {
    expect(services[name].findLicenseKey(label + key)).toEqual({ ok: true, licenseKey: key })
    expect(findAnyLicenseKey(label + key)).toEqual({ ok: true, licenseKey: key })
  })
})

describe.each([keygenKey, 'AB12C-DE34F-GH56I', 'ÉCLAIR-1234-5678-9ABC'])('finds %s', (key) => {
  it.each([
    ...[`Your key is ${key}. Thanks!`, `Key:${key}`, `Ключ:${key}`, `licenseKey=${key}`, `“${key}”`],
    ...[`https://inkwell.example/x?key=${key}&from=mail`, `inkwell.example/${key}`, `**${key}**`, `#${key}`],
    ...[`密钥：${key}。`, `${key}!`, `[${key}]`, `{"key":"${key}"}`],
  ])('in %j', (text) => {
    expect(services.keygen.findLicenseKey(text)).toEqual({ ok: true, licenseKey: key })
    expect(findAnyLicenseKey(text)).toEqual({ ok: true, licenseKey: key })
  })
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
    'ー',
    'ー-',
    '่a',
    'ก่a',
    '\u0301',
    'a\u0301-',
    '1\u0301',
    '·',
    '&a',
  ],
  ...['a1b2c3d4-', 'license ', 'license a1-', 'ABCD-EFGH-1234!', `${uuid}-`, `${uuid} `, 'key/a'],
])('searches a long text of %j to its end', (part) => {
  // A pattern that backtracks would take minutes.
  for (const first of ['', 'x', '"', '墨']) {
    for (const end of ['', ' y', ')']) {
      const text = (first + part.repeat(9_998)).slice(0, 9_998) + end
      for (const form of ['prefixed-uuid', 'any'] as const) findLicenseKey(text, form)
    }
  }
})

const customKey = 'Inkwell-4B11E191A34E424CB391'
const time = '2026-11-01T10:00:00.000000Z'

describe.each([
  ...[
    'License key: @',
    'Lizenz: @',
    'Votre clé de licence :\r\n  @',
    'ライセンスキー：@',
    '许可证密钥 @',
    '라이선스 키\n@',
  ],
  ...['مفتاح الترخيص: @', '激活码：@'],
])('after a license word in %j,', (label) => {
  const mailWith = (key: string, mail: string) => mail.replace('%', label.replace('@', key))

  it.each([`Order: ${uuid}\n%`, `%\n\nOrder ${uuid}`])(
    'finds a key in a form of its own beside an order number in %j',
    (mail) => {
      const licenseKey = keygenKey
      expect(findAnyLicenseKey(mailWith(keygenKey, mail))).toEqual({ ok: true, licenseKey })
      // It may as well be the name of a product.
      const unclear = mailWith(customKey, mail)
      for (const { findLicenseKey } of [services.dodo, { findLicenseKey: findAnyLicenseKey }]) {
        expect(findLicenseKey(unclear)).toEqual({ ok: false, code: 'several-license-keys' })
      }
    },
  )

  it.each([
    ...[`Order: ORD-2026-0001234A\n%`, `%\n\nSeat for ADA-MACBOOK-2026.`],
    ...[`license facts: expires ${time}\n%`, `%\nPaid at ${time}.`],
  ])('finds the key beside other groups or a time in %j', (mail) => {
    for (const licenseKey of [customKey, keygenKey]) {
      const text = mailWith(licenseKey, mail)
      expect(services.dodo.findLicenseKey(text)).toEqual({ ok: true, licenseKey })
      expect(findAnyLicenseKey(text)).toEqual({ ok: true, licenseKey })
    }
  })
})

it('asks if a license word introduces only the name of a product', () => {
  const text = `Thank you for licensing Inkwell-Studio-2026!\nKey: ${uuid}`
  expect(services.dodo.findLicenseKey(text)).toEqual({ ok: false, code: 'several-license-keys' })
})

it('takes no time for a license key', () => {
  const report = `license facts: expires ${time}, suspended no\nlast valid answer: ${time.replace('11', '12')}`
  for (const { findLicenseKey } of [services.dodo, services.keygen]) {
    expect(findLicenseKey(report)).toEqual({ ok: false, code: 'no-license-key' })
    expect(findLicenseKey(`${report}\nKey: ${customKey}`)).toEqual({ ok: true, licenseKey: customKey })
  }
  expect(findAnyLicenseKey(`${report}\nKey: ${uuid}`)).toEqual({ ok: true, licenseKey: uuid })
})

it('asks if several keys are introduced', () => {
  const text = `License key: ${customKey}\nLicense key: ${customKey}2`
  expect(services.dodo.findLicenseKey(text)).toEqual({ ok: false, code: 'several-license-keys' })
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
