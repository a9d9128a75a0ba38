import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  findLicenseKeys,
  maskLicenseKey,
  maxLicenseTextLength,
  readLicenseKeyText,
} from '../../../src/shared/license-key-text.ts'

const key = '1f0a6c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d'
const other = '2f0a6c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d'

test.each([
  ['as it is', key],
  ['in capitals', key.toUpperCase()],
  ['with spaces around it', `  \t${key}\n`],
  ['in a sentence', `Your license key is ${key}. Enjoy!`],
  ['in a link', `https://shop.example/activate?license=${key}&utm=1`],
  ['in a deep link', `myapp://activate?license=${key}`],
  ['in braces', `{${key}}`],
  ['twice', `${key}\n${key.toUpperCase()}`],
  ['broken over two lines of an e-mail', `${key.slice(0, 20)}\n${key.slice(20)}`],
  ['with a space after every character', [...key].join(' ')],
  ['with zero-width characters inside', `${key.slice(0, 10)}\u200b\u2060\ufeff${key.slice(10)}`],
  ['with soft hyphens inside', `${key.slice(0, 10)}\u00ad${key.slice(10)}`],
  ['with the hyphens of a word processor', key.replaceAll('-', '\u2011')],
  ['with dashes', key.replaceAll('-', '\u2013')],
  ['with minus signs', key.replaceAll('-', '\u2212')],
  [
    'in full-width characters',
    key.replace(/[0-9a-f-]/g, (c) => String.fromCodePoint((c.codePointAt(0) ?? 0) + 0xfee0)),
  ],
])('a key %s is found', (_how, text) => {
  expect(readLicenseKeyText(text)).toEqual({ ok: true, licenseKey: key })
})

describe('an email that also contains an order number', () => {
  test.each([
    ['en', `Order: ${other}\nLicense key: ${key}`],
    ['en-GB', `Your licence:\n\n${key}\n\nOrder number ${other}`],
    ['de', `Bestellnummer ${other}\nIhr Lizenzschlüssel lautet ${key}`],
    ['fr', `Clé de licence : ${key} (commande ${other})`],
    ['es', `Pedido ${other}. Clave de licencia: ${key}`],
    ['pt', `Chave de licença: ${key}\nPedido: ${other}`],
    ['it', `Codice di licenza: ${key}\nOrdine: ${other}`],
    ['nl', `Bestelling ${other}\nLicentiesleutel ${key}`],
    ['pl', `Zamówienie ${other}\nKlucz licencyjny: ${key}`],
    ['ja', `注文番号：${other}\nライセンスキー：${key}`],
    ['zh', `订单号：${other}\n许可证密钥：${key}`],
    ['ko', `주문 번호: ${other}\n라이선스 키: ${key}`],
    ['ar', `رقم الطلب: ${other}\nمفتاح الترخيص: ${key}`],
    ['a link', `https://shop.example/orders/${other}\nmyapp://activate?license=${key}`],
  ])('%s: the key labeled as a license is used', (_language, text) => {
    expect(readLicenseKeyText(text)).toEqual({ ok: true, licenseKey: key })
  })

  test('leaves the choice to the user if both or neither are labeled as a license', () => {
    for (const text of [`License order ${other}\nLicense key ${key}`, `Order ${other}\nKey ${key}`]) {
      expect(readLicenseKeyText(text)).toEqual({ ok: false, code: 'several-license-keys' })
    }
    expect(findLicenseKeys(`Order: ${other} – key #: ${key}\n(again: ${key})`)).toEqual([
      { licenseKey: other, label: 'Order' },
      { licenseKey: key, label: 'key' },
    ])
  })
})

describe('text that is not a key', () => {
  test.each([
    ['', 'empty-text'],
    ['\u200b \ufeff\n', 'empty-text'],
    ['no key here', 'no-license-key'],
    [key.slice(0, -1), 'incomplete-license-key'],
    [`${key}0`, 'no-license-key'],
    [`a${key}`, 'no-license-key'],
    [key.replaceAll('-', ''), 'no-license-key'],
    [key.replace('f', 'g'), 'no-license-key'],
    [`${key} or ${other}`, 'several-license-keys'],
    ['x'.repeat(maxLicenseTextLength + 1), 'text-too-long'],
  ])('%.40j', (text, code) => {
    expect(readLicenseKeyText(text)).toEqual({ ok: false, code })
  })
})

test('malicious texts of maximum length are parsed quickly', () => {
  const fill = (part: string): string => part.repeat(maxLicenseTextLength).slice(0, maxLicenseTextLength)
  const texts = ['a ', 'a', ' ', '-', 'a-', `${key.slice(0, -1)} `, 'abcdef01- ', '\u200b', '\ufdfa'].map(
    fill,
  )
  for (const text of texts) expect(readLicenseKeyText(text).ok).toBe(false)
})

test('a masked key shows four characters at each end', () => {
  expect(maskLicenseKey(key)).toBe('1f0a••••9c1d')
})

describe('the label of a key', () => {
  const labelBefore = (text: string): string | undefined => findLicenseKeys(`${text} ${key}`)[0]?.label

  test('has no punctuation around it, however the line is punctuated', () => {
    const isSeen = (character: string): boolean => /[\p{L}\p{N}]/u.test(character)
    const piece = fc.constantFrom(
      'x',
      'ж',
      '許',
      '7',
      '-',
      '.',
      ' ',
      '\t',
      '\u2028',
      '😀',
      '·',
      ':',
      '\u0301',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const characters = [...pieces.join('').normalize('NFKC')]
        const first = characters.findIndex(isSeen)
        const expected = characters.slice(Math.max(first, 0), characters.findLastIndex(isSeen) + 1).join('')
        expect(labelBefore(pieces.join(''))).toBe(expected)
      }),
    )
  })

  test.each(['-', '.', '_', '\t', '. '])('is found beside a long row of %j', (mark) => {
    const row = mark.repeat(3000 / mark.length)
    expect(labelBefore(`${row}License${row}key${row}`)).toBe(`License${row}key`)
    expect(labelBefore(row)).toBe('')
  })
})
