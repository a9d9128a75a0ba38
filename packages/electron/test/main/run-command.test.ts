import { expect, test } from 'vitest'
import { type CommandTerminal, runCommand } from '../../src/main/run-command.ts'
import { takeCommand } from '../../src/main/take-command.ts'
import { createFakeLicensing, type FakeLicensing } from '../../src/testing/create-fake-licensing.ts'

const licenseKey = '0190f4e2-7c1a-7b43-8f3e-2b9d5c61a7e4'

/** Runs a command as a script would, and returns all that it could see. */
async function run(words: string[], { licensing = createFakeLicensing(), input = '' } = {}) {
  const argv = ['/opt/notes/notes', '--no-sandbox', ...words]
  const command = takeCommand(argv)
  const printed: string[] = []
  const complaints: string[] = []
  const terminal: CommandTerminal = {
    print: (line) => void printed.push(line),
    complain: (line) => void complaints.push(line),
    readInput: async () => input,
  }
  const code =
    command === null
      ? null
      : await runCommand(command, { ...licensing, readState: licensing.start }, terminal)
  return { code, printed: printed.join('\n'), complaints: complaints.join('\n'), argv, licensing }
}

const keysOf = ({ calls }: FakeLicensing): unknown[] =>
  calls.flatMap(({ method, args }) => (method === 'activate' ? args : []))

test.each([
  { words: ['--activate', licenseKey] },
  { words: [`--activate=${licenseKey}`] },
  { words: ['--activate', '-'], input: licenseKey },
  { words: ['--activate=-', 'notes.txt'], input: licenseKey },
  { words: ['--user-data-dir=/tmp/one', '--activate', licenseKey, '--disable-gpu'] },
])('$words activates, and shows the key to nobody', async ({ words, input }) => {
  const { code, printed, complaints, argv, licensing } = await run([...words], { input })
  expect(code).toBe(0)
  expect(keysOf(licensing)).toEqual([licenseKey])
  expect(printed).toMatch(/^Activated with license /u)
  expect(`${printed}${complaints}${argv.join(' ')}`).not.toContain(licenseKey)
})

test.each([
  { words: ['--activate'], says: '--activate needs a license key' },
  { words: ['--activate='], says: '--activate needs a license key' },
  { words: ['--activate', '--json'], says: '--activate needs a license key' },
  { words: ['--activate', ''], says: '--activate needs a license key' },
  { words: ['--activate', 'A', '--activate', 'B'], says: 'Use one of' },
  { words: ['--deactivate', '--license-status'], says: 'Use one of' },
  { words: ['--activate', '-'], says: '(empty-text)' },
])('$words is a wrong command: it changes nothing', async ({ words, says }) => {
  const { code, printed, complaints, licensing } = await run(words)
  expect(code).toBe(2)
  expect(complaints).toContain(says)
  expect(printed).toBe('')
  expect(licensing.state.status).toBe('unlicensed')
})

test.each([
  [[]],
  [['--json']],
  [['activate', '--activated', '--deactivate-all', 'notes://activate?license=x']],
])('%j is no command, so the app starts', async (words) => {
  expect((await run(words)).code).toBeNull()
})

test.each([
  ['license-not-found', 5],
  ['no-seat-left', 1],
  ['license-expired', 1],
  ['license-suspended', 1],
  ['several-license-keys', 2],
  ['offline', 3],
  ['rate-limited', 3],
  ['activation-unconfirmed', 3],
  ['seat-may-be-taken', 3],
  ['unauthorized', 4],
  ['disk-full', 6],
  ['misconfigured', 6],
] as const)('an activation that fails with %s exits with %i, and says why', async (problem, code) => {
  const licensing = createFakeLicensing()
  licensing.script('activate', problem)
  const outcome = await run(['--activate', licenseKey], { licensing })
  expect(outcome).toMatchObject({ code, printed: '' })
  expect(outcome.complaints).toContain(`(${problem})`)
})

test.each(['store-not-writable', 'disk-full'] as const)(
  'an activation that the next start would not find exits with 6: %s',
  async (code) => {
    const licensing = createFakeLicensing()
    const problem = { code, message: 'Not saved.', isRetryable: true, occurredAt: '2026-11-29T12:00:00.000Z' }
    const activate: FakeLicensing['activate'] = async (text) => {
      const result = await licensing.activate(text)
      return result.ok ? { ...result, state: { ...result.state, problem } } : result
    }
    const outcome = await run(['--activate', licenseKey], { licensing: { ...licensing, activate } })
    expect(outcome).toMatchObject({ code: 6, printed: '', complaints: `Not saved. (${code})` })
  },
)

test.each([
  { outcome: 'freed', code: 0 },
  { outcome: 'not-activated', code: 0 },
  { outcome: 'freed-later', code: 3 },
  { outcome: 'not-freed', code: 6 },
  { outcome: 'unexpected', code: 6 },
] as const)('--deactivate exits with $code after $outcome', async ({ outcome, code }) => {
  const licensing = createFakeLicensing({ status: 'active' })
  licensing.script('deactivate', outcome)
  const done = await run(['--deactivate'], { licensing })
  expect(done.code).toBe(code)
  expect(done[code === 0 ? 'printed' : 'complaints']).not.toBe('')
})

test('--license-status names the file whose license key is refused', async () => {
  const problem = { code: 'license-not-found', source: '/etc/notes/license.json' } as const
  const { code, printed } = await run(['--license-status'], { licensing: createFakeLicensing({ problem }) })
  expect(code).toBe(1)
  expect(printed).toContain('(license-not-found)\nSource: /etc/notes/license.json')
})

test('--license-status says what happened to a device that another one released', async () => {
  const { code, printed } = await run(['--license-status'], {
    licensing: createFakeLicensing({ status: 'revoked' }),
  })
  expect(code).toBe(1)
  expect(printed).toContain('Problem: Your license was probably moved to another device.')
})

test('--license-status prints the status for a person, or the state for a script', async () => {
  const licensed = createFakeLicensing({ status: 'active', license: { maskedKey: '0190••••a7e4' } })
  const told = await run(['--license-status'], { licensing: licensed })
  expect(told).toMatchObject({ code: 0, printed: expect.stringContaining('Status: active') })
  expect(told.printed).toContain('License: 0190••••a7e4')
  const { code, printed } = await run(['--license-status', '--json'])
  expect({ code, state: JSON.parse(printed) }).toMatchObject({
    code: 1,
    state: { status: 'unlicensed', entitled: false },
  })
})
