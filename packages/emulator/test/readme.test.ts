import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCommand } from '../src/command-line.ts'
import { faultNames } from '../src/faults/fault.ts'
import { type Emulator, startEmulator } from '../src/index.ts'

const packageFolder = path.resolve(import.meta.dirname, '..')
const readme = await readFile(path.join(packageFolder, 'README.md'), 'utf8')

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())

it('every command is valid, and every option is in the table', () => {
  const commands = [...readme.matchAll(/^\| `(--[^`]+)`/gm)].map(([, command]) => command ?? '')
  for (const command of commands) {
    if (['--help', '--version'].includes(command)) continue
    createCommand(() => {})
      .exitOverride()
      .parse(command.split(' '), { from: 'user' })
  }
  const named = commands.flatMap((command) => command.match(/--[a-z-]+/g) ?? [])
  const options = createCommand(() => {}).options.map(({ long }) => long)
  expect(new Set(named)).toEqual(new Set([...options, '--help']))
})

it('names the demo license', () => {
  expect(readme).toContain(emulator.demoLicense.id)
})

it('lists exactly the existing faults', () => {
  const section = readme.slice(readme.indexOf('## Faults'), readme.indexOf('## Dialect'))
  const cells = [...section.matchAll(/^\| (`[^|]+`) /gm)].flatMap(([, cell]) => cell?.match(/[a-z-]+/g) ?? [])
  expect(cells.sort()).toEqual([...faultNames].sort())
})

it('has every control method, and each HTTP route answers', async () => {
  const section = readme.slice(readme.indexOf('## Control'), readme.indexOf('## OpenAPI document'))
  const rows = [...section.matchAll(/^\| `([a-zA-Z]+(?:\.[a-z]+)?)[(`][^|]*\| (?:`([A-Z]+) ([^`]+)`)?/gm)]
  const { faults, ...verbs } = emulator.control
  const named = [...Object.keys(verbs), ...Object.keys(faults).map((verb) => `faults.${verb}`)]
  const hidden = ['isListening']
  expect(rows.map(([, verb]) => verb).sort()).toEqual(named.filter((verb) => !hidden.includes(verb)).sort())
  for (const [, , method, route] of rows) {
    if (method === undefined || route === undefined) continue
    const response = await fetch(`${emulator.origin}/_control${route}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: '{ "unknown": true }' }),
    })
    expect(await response.text(), `${method} ${route}`).not.toContain('no such control verb')
  }
})
