import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { checkDataFolder, readDataFile, writeDataFile } from '../src/data-file.ts'
import { type Emulator, type EmulatorOptions, startEmulator } from '../src/index.ts'
import { rawRequests } from './raw-requests.ts'

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator(options)
  onTestFinished(() => emulator.close())
  return emulator
}

async function textOf(emulator: Emulator, url: string): Promise<string> {
  const { text } = await rawRequests(emulator).send('GET', url)
  return text.replaceAll(emulator.origin, '')
}

it('generates the same data from the same seed, and other data from another seed', async () => {
  const [a, b, c] = [await start({ seed: 7 }), await start({ seed: 7 }), await start({ seed: 8 })]
  expect(b.demoLicense.id).toBe(a.demoLicense.id)
  expect(c.demoLicense.id).not.toBe(a.demoLicense.id)
  for (const url of ['/customers?page=2', '/discounts?page=2']) {
    const text = await textOf(a, url)
    expect(await textOf(b, url)).toBe(text)
    expect(await textOf(c, url)).not.toBe(text)
  }
})

it('generates an item from its position, so a longer list begins with the same items', async () => {
  const emulator = await start({ customers: 25 })
  const { data: before }: { data?: unknown } = Object(
    (await rawRequests(emulator).send('GET', '/customers')).body,
  )
  emulator.control.setTotals({ customers: 5_000 })
  expect((await rawRequests(emulator).send('GET', '/customers')).body).toMatchObject({ data: before })
})

it('serves a billion customers as fast as ten', async () => {
  const emulator = await start({ customers: 1_000_000_000 })
  expect((await rawRequests(emulator).send('GET', '/customers?page=40000000')).body).toMatchObject({
    meta: { to: 1_000_000_000, last_page: 40_000_000 },
  })
})

describe('discounts', () => {
  it('have a text with the amount', async () => {
    const emulator = await start({ discounts: 200 })
    const text = await textOf(emulator, '/discounts')
    const page: { data: { type: string; amount: number; total_formatted: string }[] } = JSON.parse(text)
    const totals = page.data.map(({ type, amount, total_formatted }) => [
      total_formatted,
      type === 'PERCENTAGE' ? `${amount}%` : `$${(amount / 100).toFixed(2)}`,
    ])
    for (const [shown, expected] of totals) expect(shown).toBe(expected)
    expect(new Set(page.data.map(({ type }) => type))).toEqual(new Set(['PERCENTAGE', 'FIXED']))
  })

  it('share products', async () => {
    const emulator = await start({ discounts: 25 })
    const page: { data: { products: { id: string; name: string }[] }[] } = JSON.parse(
      await textOf(emulator, '/discounts'),
    )
    const products = page.data.flatMap((discount) => discount.products)
    expect(products.length).toBeGreaterThan(new Set(products.map(({ id }) => id)).size)
  })
})

describe('a data file', () => {
  let file: string
  beforeEach(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-emulator-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    file = path.join(folder, 'data.json')
  })

  it('restores licenses, keys and lists', async () => {
    const first = await start({ seed: 3, customers: 7, discounts: 2 })
    first.control.addKey(first.demoLicense.id, 'Laptop')
    first.control.createLicense({ activation_limit: 9, suspended_at: '2026-01-01' })
    await writeDataFile(file, first.control.dumpData())
    const seed = await readDataFile(file)
    const second = await start(seed ? { seed } : {})
    expect(second.control.dumpData()).toEqual(first.control.dumpData())
    expect(second.demoLicense).toMatchObject({ id: first.demoLicense.id, activation_usage: 1 })
  })

  it('can contain the items themselves', async () => {
    const customers = [{ id: '1f8b7a52-2b0d-4d0a-9d3a-0c3f6a1e2b4c', name: 'Ada', email: 'ada@example.com' }]
    const emulator = await start({ seed: { version: 1, licenses: [], customers, discounts: [] } })
    expect((await rawRequests(emulator).send('GET', '/customers')).body).toMatchObject({ data: customers })
    expect(emulator.demoLicense.activation_limit).toBe(3)
    expect(() => emulator.control.setTotals({ customers: 3 })).toThrow('come from a data file')
  })

  it('may begin with a byte order mark', async () => {
    const emulator = await start()
    const data = emulator.control.dumpData()
    await writeFile(file, `\uFEFF${JSON.stringify(data)}`)
    expect(await readDataFile(file)).toEqual(data)
  })

  it('is rejected with the name of the invalid field', async () => {
    expect(await readDataFile(file)).toBeNull()
    const emulator = await start()
    await writeDataFile(file, emulator.control.dumpData())
    const text = (await readFile(file, 'utf8')).replace('"activation_limit": 3', '"activation_limit": "3"')
    await writeFile(file, text)
    await expect(readDataFile(file)).rejects.toThrow('licenses[0].activation_limit must be a number')
    await writeFile(file, text.slice(0, 40))
    await expect(readDataFile(file)).rejects.toThrow(/is not valid JSON\.$/)
    await writeFile(file, '{ "name": "my-app", "version": "1.0.0" }')
    await expect(readDataFile(file)).rejects.toThrow('is not a data file: ')
  })

  it('can be saved only to a folder that exists', async () => {
    await checkDataFolder(file)
    expect(await readdir(path.dirname(file)), 'nothing is left behind').toEqual([])
    const told = /^--save can't write to the folder .*nowhere\. Create it or make it writable/
    await expect(checkDataFolder('/nowhere/data.json')).rejects.toThrow(told)
  })
})
