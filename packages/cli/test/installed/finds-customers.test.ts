import { expect, test } from 'vitest'
import { emulatorForTest } from '../run-cli.ts'
import { describeLatchkey, latchkey, startLatchkey } from './installed-cli.ts'

describeLatchkey((node) => {
  test('finds customers by part of a name or email address, ignoring case and accents', async () => {
    const emulator = await emulatorForTest({ customers: 30 })
    const fields = { 'data.3.name': 'Zoë Quist', 'data.3.email': 'someone@else.example' }
    emulator.control.faults.inject({ fault: 'set-fields', fields, times: 1 })
    const run = await latchkey(node, emulator, ['customers', 'find', 'ZOE QUI'])
    expect(run.exitCode).toBe(0)
    expect(run.out).toMatch(/^Zoë Quist {2,}someone@else\.example {2,}[0-9a-f-]{36}\n$/u)
    // The reason that the interface can't do this, and an alternative.
    expect(run.err).toBe(
      'The service does not say which licenses a customer has: ask the customer for the license key, ' +
        'or look up the order in your store.\n',
    )
  })

  test('prints a match before the search has ended', async () => {
    const emulator = await emulatorForTest({ customers: 200 })
    const fields = { 'data.0.email': 'ada@found-early.example' }
    emulator.control.faults.inject({ fault: 'set-fields', fields, times: 1 })
    emulator.control.faults.inject({ fault: 'timeout', after: 2 })
    const running = await startLatchkey(node, emulator, ['customers', 'find', 'found-early'])
    await running.says('ada@found-early.example')
    expect(running.process.exitCode).toBeNull()
  })

  test('stops at the limit and reports it', async () => {
    const emulator = await emulatorForTest({ customers: 500 })
    const run = await latchkey(node, emulator, ['customers', 'find', '@', '--limit', '5'])
    expect(run.out.trimEnd().split('\n')).toHaveLength(5)
    expect(run.err).toContain('Stopped at 5, on page 1 of 20. Pass --limit for more.')
    expect(emulator.control.requests().length).toBeLessThan(4)
    const json = await latchkey(node, emulator, ['--json', 'customers', 'find', '@', '--limit', '2'])
    expect(JSON.parse(json.out)).toMatchObject({ complete: false, customers: [{}, {}] })
  })

  test('has its own exit code when nothing is found', async () => {
    const emulator = await emulatorForTest({ customers: 30 })
    const words = ['customers', 'find', 'nobody-of-that-name']
    expect(await latchkey(node, emulator, words)).toMatchObject({
      exitCode: 1,
      out: '',
      err: 'No customer’s name or email address contains “nobody-of-that-name”.\n',
    })
    const json = await latchkey(node, emulator, ['--json', ...words])
    expect([json.exitCode, JSON.parse(json.out)]).toEqual([1, { customers: [], complete: true }])
    expect(await latchkey(node, emulator, ['customers', 'find', ' '])).toMatchObject({ exitCode: 2 })
  })
})
