import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'
import { serviceEnvironment } from './service-environment.ts'

const order = '2f0a6c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d'

test.each([
  ['a key in capitals', (id: string) => `Your license key is ${id.toUpperCase()}. Enjoy!`],
  ['a key in a link', (id: string) => `https://shop.example/activate?license=${id}&utm=1`],
  ['a key broken over two lines', (id: string) => `My key:\r\n${id.slice(0, 20)}\r\n  ${id.slice(20)}`],
  ['a key in a reply', (id: string) => `Ada wrote:\n> My key is ${id.slice(0, 20)}\n> ${id.slice(20)}\n`],
  ['a key with the hyphens of a word processor', (id: string) => id.replaceAll('-', '\u2011')],
  ['an order number before the license key', (id: string) => `Order: ${order}\nLicense key: ${id}`],
  ['an order number after the license key', (id: string) => `Your licence:\n${id}\nOrder number ${order}`],
  ['an order number in German', (id: string) => `Bestellnummer ${order}\nIhr Lizenzschlüssel lautet ${id}`],
])('takes the license key of a text with %s', async (_what, textWith) => {
  const emulator = await emulatorForTest()
  const input = textWith(emulator.demoLicense.id)
  expect(await runCli(emulator, ['--json', 'keys', 'list', '-'], { input })).toMatchObject({ exitCode: 0 })
})

test.each([
  ['Hello!', 'contains no license key. Pass the whole license key, as the customer received it.'],
  ['1f0a6c1e-5b7d-4c39-9e2f', 'contains no license key.'],
  [`1f0a6c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d or ${order}`, 'contains more than one license key. Pass only one.'],
  ['Hello! '.repeat(2_000), 'is too long to search. Pass only the line with the license key.'],
])('says what is wrong with a text without one license key: %.40s', async (input, message) => {
  const emulator = await emulatorForTest()
  const { exitCode, err } = await runCli(emulator, ['keys', 'list', '-'], { input })
  expect(exitCode).toBe(2)
  expect(err).toContain(`latchkey: Standard input ${message}`)
  expect(emulator.control.requests()).toEqual([])
})

test('a missing license key of another service is named as such', async () => {
  const emulator = await emulatorForTest({ face: 'polar' })
  const env = serviceEnvironment('polar', emulator)
  const { err } = await runCli(emulator, ['keys', 'list', '-'], { env, input: 'Hello!' })
  expect(err).toBe(
    'latchkey: Standard input contains no license key of polar. Pass the whole license key, as the customer received it.\n',
  )
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
})
