import { serviceNames } from '@latchkey/services/environment'
import { describe, expect, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'
import { serviceEnvironment } from './service-environment.ts'

describe.each(serviceNames)('%s', (face) => {
  async function start() {
    const emulator = await emulatorForTest({ face })
    const env = serviceEnvironment(face, emulator)
    const run = (words: readonly string[], input = '') => runCli(emulator, words, { env, input })
    return { emulator, run, licenseKey: emulator.licenseKey }
  }

  test.each([[['keys', 'list', '-']], [['license', 'check', '-']], [['doctor', '--license', '-']]])(
    'an email address or a shortened license key says what helps: %j',
    async (words) => {
      const { emulator, run } = await start()
      const address = await run(words, 'ada@example.com\n')
      expect(address).toMatchObject({
        exitCode: 2,
        err: expect.stringMatching(/An email address finds no license: /u),
      })
      const report = ['Latchkey 0.9.0', 'license 1f0a••••9c1d', 'state  licensed'].join('\n')
      for (const shortened of ['1f0a••••9c1d', report]) {
        const { exitCode, err } = await run(words, shortened)
        expect(exitCode).toBe(2)
        expect(err).toContain(`no license key of ${face}. In reports and logs it is shortened.`)
      }
      expect(emulator.control.requests()).toEqual([])
    },
  )

  test('a device can’t be released by its name or fingerprint', async () => {
    const { emulator, run, licenseKey } = await start()
    emulator.control.addKey(emulator.demoLicense.id, 'Studio [0123456789abcdef]')
    for (const [key, message] of [
      ['Studio', 'The argument names a device. Copy its key id from the column KEY of keys list.'],
      ['0123456789abcdef', 'The argument names a device. Copy its key id from the column KEY of keys list.'],
      [
        'Studio [0123456789abcdef]',
        'The argument contains no key id. Copy it from the column KEY of keys list.',
      ],
    ] as const) {
      const { exitCode, err } = await run(['keys', 'release', licenseKey, key])
      expect(err).toBe(`latchkey: ${message}\n`)
      expect(exitCode).toBe(2)
      const checked = await run(['license', 'check', licenseKey, '--key', key])
      expect(checked).toMatchObject({ exitCode: 2, out: '', err })
    }
    expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
  })

  test('releasing a seat twice points to the list, and swapped arguments to their order', async () => {
    const { emulator, run, licenseKey } = await start()
    emulator.control.addKey(emulator.demoLicense.id, 'Studio [0123456789abcdef]')
    const [key] = JSON.parse((await run(['--json', 'keys', 'list', licenseKey])).out).keys
    expect(await run(['keys', 'release', licenseKey, key.id])).toMatchObject({ exitCode: 0 })
    const twice = await run(['keys', 'release', licenseKey, key.id])
    expect(twice).toMatchObject({
      exitCode: 5,
      err: expect.stringContaining('`latchkey keys list` shows which'),
    })
    const swapped = await run(['keys', 'release', key.id, licenseKey])
    expect(swapped.exitCode).toBe(5)
    expect(swapped.err).toMatch(
      /doesn’t know this license key\..* Pass the license key first, then the key id\.$/mu,
    )
  })
})
