import { describe, expect, test } from 'vitest'
import { findLicenseKeys, readLicenseKeyText } from '../../../src/shared/license-key-text.ts'
import { createTestDevice, serviceForTests } from '../fixture.ts'

const service = await serviceForTests()

test('a pasted license key uses one seat, named after the device, and the next launch is entitled immediately', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  expect((await device.launch()).status).toBe('unlicensed')

  const result = await device.core.activate(`Your key:\n  ${license.id.toUpperCase()} \u200b`)
  expect(result).toMatchObject({ ok: true, state: { status: 'active', entitled: true, activity: 'idle' } })
  expect(service.seats(license.id)).toEqual([expect.stringMatching(/^Work laptop \[[0-9a-f]{16}\]$/)])

  expect(await device.decide()).toMatchObject({ status: 'active', entitled: true, problem: null })
})

test('text without a key is neither sent nor stored', async () => {
  const device = createTestDevice(service)
  await device.launch()
  for (const text of ['', 'hello', 'x'.repeat(1_000_000)]) {
    expect(await device.core.activate(text)).toMatchObject({ ok: false })
  }
  expect(service.control.requests()).toEqual([])
  expect(device.store.writes).toBe(0)
})

test.each([
  [undefined, 'empty-text'],
  [null, 'empty-text'],
  [7, 'no-license-key'],
])('an app in plain JavaScript may pass %j in place of a text', async (given, code) => {
  const device = createTestDevice(service)
  await device.launch()
  const { core } = device
  expect(await Reflect.apply(core.activate, core, [given])).toMatchObject({ ok: false, problem: { code } })
  expect(device.logger.lines).toContainEqual(expect.stringContaining('take the license key as a text'))
})

const key = '1f0a6c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d'
const other = '2f0a6c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d'

test.each([
  ['in a link', `https://shop.example/activate?license=${key}&utm=1`],
  ['twice', `${key}\n${key.toUpperCase()}`],
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

test.each([
  ['\u200b \ufeff\n', 'empty-text'],
  [key.slice(0, -1), 'incomplete-license-key'],
  [`${key}0`, 'no-license-key'],
  [`a${key}`, 'no-license-key'],
  [key.replaceAll('-', ''), 'no-license-key'],
  [key.replace('f', 'g'), 'no-license-key'],
  [`${key} or ${other}`, 'several-license-keys'],
])('%.40j is not a key', (text, code) => {
  expect(readLicenseKeyText(text)).toEqual({ ok: false, code })
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

test.each(['-', '.', '_', '\t', '. '])('the label of a key is found beside a long row of %j', (mark) => {
  const row = mark.repeat(3000 / mark.length)
  const labelBefore = (text: string) => findLicenseKeys(`${text} ${key}`)[0]?.label
  expect(labelBefore(`${row}License${row}key${row}`)).toBe(`License${row}key`)
  expect(labelBefore(row)).toBe('')
})
