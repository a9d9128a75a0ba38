import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { readLicenseKeyText } from '../../electron/src/shared/license-key-text.ts'
import { findLicenseUuid } from '../src/input/find-uuid.ts'
import { emulatorForTest, runCli } from './run-cli.ts'

const key = '1f0a6c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d'
const order = '2f0a6c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d'
const broken = `${key.slice(0, 20)}\r\n  ${key.slice(20)}`

const texts: readonly (readonly [string, string])[] = [
  ['a key', key],
  ['a key in capitals', `Your license key is ${key.toUpperCase()}. Enjoy!`],
  ['a key in a link', `https://shop.example/activate?license=${key}&utm=1`],
  ['the same key twice', `${key}\n${key.toUpperCase()}`],
  ['a key broken over two lines', `Hello,\r\n\r\nyour key: ${broken}\r\nThanks!`],
  ['a key with a space after every character', [...key].join(' ')],
  ['a key with zero-width characters inside', `${key.slice(0, 10)}\u200b\u2060\ufeff${key.slice(10)}`],
  ['a key with the hyphens of a word processor', key.replaceAll('-', '\u2011')],
  ['a key with minus signs', key.replaceAll('-', '\u2212')],
  [
    'a key in full-width characters',
    key.replace(/[0-9a-f-]/gu, (c) => String.fromCodePoint((c.codePointAt(0) ?? 0) + 0xfee0)),
  ],
  ['an order number before the key', `Order: ${order}\nLicense key: ${key}`],
  ['an order number after the key', `Your licence:\n\n${key}\n\nOrder number ${order}`],
  ['a German email', `Bestellnummer ${order}\nIhr Lizenzschlüssel lautet ${key}`],
  ['a Japanese email', `注文番号：${order}\nライセンスキー：${key}`],
  ['an Arabic email', `رقم الطلب: ${order}\nمفتاح الترخيص: ${key}`],
  ['an order number and two mentions of the key', `${key}\nOrder: ${order}\nLicense: ${key}`],
  ['a key for an order', `Thank you for your order\n\nYour license key for order INK-2024-0001234: ${key}`],
  ['two keys', `License order ${order}\nLicense key ${key}`],
  ['two UUIDs that no word introduces', `Order ${order}\nKey ${key}`],
  ['no key', 'no key here'],
  ['a part of a key', key.slice(0, -1)],
  ['a longer number', `${key}0`],
  ['a sentence with a key without hyphens', `My key: ${key.replaceAll('-', '')}`],
  ['nothing', ' \n'],
]

test.each(texts)('in a text with %s, finds what the app finds', (_what, text) => {
  const found = readLicenseKeyText(text)
  const inApp = found.ok ? found.licenseKey : found.code === 'several-license-keys' ? 'several' : 'none'
  const here = findLicenseUuid(text)
  expect(here.ok ? here.id : here.code === 'several-uuids' ? 'several' : 'none').toBe(inApp)
})

test('takes the license key of a whole email from standard input', async () => {
  const emulator = await emulatorForTest()
  const { id } = emulator.demoLicense
  const email = (number: string, written: string) =>
    `Hello,\n\nOrder number: ${number}\nYour license key:\n${written}\n\nThanks!\n`
  const wrapped = await runCli(emulator, ['--json', 'keys', 'list', '-'], {
    input: email('17', `${id.slice(0, 24)}\n${id.slice(24)}`),
  })
  expect(wrapped).toMatchObject({ exitCode: 0, err: '' })
  const input = email(order, id)
  const ordered = await runCli(emulator, ['--json', 'keys', 'list', '-'], { input })
  expect(ordered).toMatchObject({ exitCode: 0, err: '' })
  const gateway = ['doctor', '--gateway', emulator.baseUrl, '--license', '-']
  expect((await runCli(emulator, gateway, { input })).err).toBe('')
})

test.each([
  ['without hyphens', (id: string) => id.replaceAll('-', '')],
  ['with spaces in place of hyphens', (id: string) => ` ${id.replaceAll('-', ' ')}\n`],
  ['in capitals, with some of its hyphens', (id: string) => id.toUpperCase().replace('-', '')],
])('takes a license key %s', async (_how, written) => {
  const emulator = await emulatorForTest()
  const text = written(emulator.demoLicense.id)
  expect(await runCli(emulator, ['--json', 'keys', 'list', text])).toMatchObject({ exitCode: 0 })
  expect(await runCli(emulator, ['--json', 'keys', 'list', '-'], { input: text })).toMatchObject({
    exitCode: 0,
  })
})

test.each([
  ['Hello!', 'Standard input contains no license key. A license key is a whole UUID with its hyphens'],
  [`${key} ${order}`, 'Standard input contains more than one license key. Pass only one.'],
])('a message about standard input names it: %s', async (input, message) => {
  const { exitCode, err } = await runCli(await emulatorForTest(), ['keys', 'list', '-'], { input })
  expect(exitCode).toBe(2)
  expect(err).toContain(message)
})

test('a message about standard input names it for other services too', async () => {
  const emulator = await emulatorForTest({ face: 'polar' })
  const env = {
    LATCHKEY_SERVICE: 'polar',
    LATCHKEY_POLAR_ORGANIZATION_ID: emulator.settings['organizationId'] ?? '',
    LATCHKEY_POLAR_ACCESS_TOKEN: 'token',
  }
  const run = (words: readonly string[], input: string) => runCli(emulator, words, { env, input })
  const missing = await run(['keys', 'list', '-'], 'Hello!')
  expect(missing.err).toBe(
    'latchkey: Standard input contains no license key of polar. Pass the whole license key, as the customer received it.\n',
  )
  const long = await run(['keys', 'list', '-'], 'Hello! '.repeat(2_000))
  expect(long.err).toContain('Standard input is too long to search. Pass only the line with the license key.')
})

const otherKey = 'INKWELL-1C28-5B2D-AAAA-BBBB'

test.each([
  ['another key that a license word introduces', `Your license key: ${otherKey}, order ${order}`],
  ['another key on the line below', `Your license key:\n\n  ${otherKey}\n\nYour receipt: ${order}`],
  ['another key without hyphens', `License key: ABCD1234EFGH5678\nReceipt ${order}`],
  ['an order number alone', `Order number: ${order}`],
  ['an order number in German', `Ihre Bestellnummer lautet ${order}.`],
  ['an order number below its label', `Your order number\n\n${order}`],
  ['an order number below a label with a colon', `Your order:\n${order}`],
  ['an order number below one word', `Bestellung\n${order}`],
  ['an order number behind a license', `License: Inkwell Pro, order: ${order}`],
])('takes no UUID from a text with %s', async (_what, input) => {
  const emulator = await emulatorForTest()
  const listed = await runCli(emulator, ['keys', 'list', '-'], { input })
  expect(listed).toMatchObject({ exitCode: 2 })
  expect(listed.err).toContain('Standard input contains no license key.')
  const gateway = ['doctor', '--gateway', emulator.baseUrl, '--license', '-']
  const examined = await runCli(emulator, gateway, { input })
  expect(examined).toMatchObject({ exitCode: 2 })
  expect(examined.err).toMatch(/Standard input contains (?:no|more than one) license key\./u)
})

test.each([
  ['a sentence without a license word', (id: string) => `Hello, it is ${id}, thanks!`],
  ['a sentence with a license word behind it', (id: string) => `${id} is my license key.`],
  ['an email with a greeting', (id: string) => `Thanks for licensing Inkwell with order 17!\n\n${id}\n`],
  ['an order', (id: string) => `Order number ${id}. License key: ${id.slice(0, 20)}\n${id.slice(20)}`],
  ['an email that thanks for the order', (id: string) => `Thank you for your order\n\n${id}\n`],
  ['a license key for an order', (id: string) => `Your license key for this order: ${id}`],
  ['a license key for an order in German', (id: string) => `Ihr Lizenzschlüssel zur Bestellung: ${id}`],
  ['a license key for a numbered order', (id: string) => `License key for order INK-2024-0001234: ${id}`],
  ['an email about another key', (id: string) => `License key: ${id}. Old license: ${otherKey}`],
])('takes the UUID of a text with %s', async (_what, textWith) => {
  const emulator = await emulatorForTest()
  const input = textWith(emulator.demoLicense.id)
  expect(await runCli(emulator, ['--json', 'keys', 'list', '-'], { input })).toMatchObject({ exitCode: 0 })
})

// The report that the page of the support desk shows.
const page = await readFile(new URL('../../../docs/support-desk.md', import.meta.url), 'utf8')
const report = /^Latchkey .*, license report\n[^`]*/mu.exec(page)?.[0] ?? ''

test.each([
  ['before the report', (id: string) => `It says my key ${id} is not valid:\n\n${report}`],
  ['after the report', (id: string) => `${report}\n\nMy key: ${id}\n`],
  ['with a license word', (id: string) => `${report}\n\nLicense key: ${id}\n`],
  ['with the time when it ends', (id: string) => `My license expires 2027-11-24T18:04:17Z.\nKey: ${id}`],
])('takes the license key of a customer’s email with a report, %s', async (_where, emailWith) => {
  expect(report).toContain('license facts: ')
  const emulator = await emulatorForTest()
  const input = emailWith(emulator.demoLicense.id)
  expect(await runCli(emulator, ['--json', 'keys', 'list', '-'], { input })).toMatchObject({ exitCode: 0 })
  const gateway = ['doctor', '--gateway', emulator.baseUrl, '--license', '-']
  expect((await runCli(emulator, gateway, { input })).err).toBe('')
})
