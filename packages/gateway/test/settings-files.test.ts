import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { supportedNodes } from '@latchkey/scripts/packages/node-runtime'
import { allowConcurrentTests, temporaryFolder } from '@latchkey/scripts/test/side-by-side'
import { describe, expect, test } from 'vitest'
import { GatewayConfigError, generateSigningKey } from '../src/index.ts'
import { keysCommand } from '../src/node/command-line.ts'
import { applySettings, readSettings } from '../src/node/environment.ts'
import { accessToken } from './gateway-fixture.ts'
import { runGatewayCommand, startGatewayProcess } from './gateway-process.ts'

allowConcurrentTests()

const signingKey = JSON.stringify(await generateSigningKey())
const service = { LATCHKEY_UPSTREAM: 'http://127.0.0.1:9/v1', LATCHKEY_ACCESS_TOKEN: accessToken }

describe('a settings file', () => {
  test('may have comments, blank lines, quotes, and a byte order mark', () => {
    const text = [
      '\uFEFF# the gateway',
      '',
      '  # indented',
      `LATCHKEY_SIGNING_KEY='{"kty":"OKP"}' # it's the key`,
      'export LATCHKEY_LEASE_DAYS = 2 # days, 2#3',
      'HOST="127.0.0.1"',
      'LATCHKEY_REDIS_URL= # none',
      "LATCHKEY_ACCESS_TOKEN=it's",
      "LATCHKEY_POLAR_ACCESS_TOKEN='a#b'",
    ].join('\r\n')
    expect(readSettings(text)).toEqual({
      LATCHKEY_SIGNING_KEY: '{"kty":"OKP"}',
      LATCHKEY_LEASE_DAYS: '2',
      HOST: '127.0.0.1',
      LATCHKEY_REDIS_URL: '',
      LATCHKEY_ACCESS_TOKEN: "it's",
      LATCHKEY_POLAR_ACCESS_TOKEN: 'a#b',
    })
  })

  test('may contain all that «keys generate» prints', async () => {
    const printed = await keysCommand('generate', undefined, false)
    expect(Object.keys(readSettings(printed))).toEqual(['LATCHKEY_SIGNING_KEY'])
  })

  test.each([
    ['a colon in place of the equals sign', 'LATCHKEY_UPSTREAM: https://secret-half/?a=b'],
    ['a value without a name', 'secret-half'],
    ['a value of JSON without a name', '{"kty":"OKP","d":"secret-half"}'],
    ['a quotation mark that is not closed', "LATCHKEY_ACCESS_TOKEN='secret-half"],
    ['a comment of another form', '; LATCHKEY_ACCESS_TOKEN'],
    ['a value that a comment would cut', 'LATCHKEY_ACCESS_TOKEN=abc#secret-half'],
    ['an ID that was copied with its #', 'LATCHKEY_LEMON_SQUEEZY_STORE_ID=#12345'],
    ['UTF-16', Buffer.from('PORT=1', 'utf16le').toString('utf8')],
  ])('with %s is refused by the number of its line, without showing it', (_what, line) => {
    const read = () => readSettings(`HOST=::1\n# a comment\n${line}\n`)
    expect(read).toThrow(GatewayConfigError)
    expect(read).toThrow('Line 3 of the settings file must be NAME=value, a comment that begins with #')
    expect(read).not.toThrow(/secret-half|12345/u)
  })

  test('that sets a name twice is refused by the number of the line, without showing it', () => {
    const read = () => readSettings('# PORT=1\nsecret-half=1\nPORT=1\n\nsecret-half=2')
    expect(read).toThrow('Line 5 of the settings file sets a name a second time.')
    expect(read).not.toThrow(/secret-half/u)
  })

  test('sets what the environment doesn’t, and names what has no effect, without values', () => {
    const settings = {
      ...{ PORT: '1', LATCHKEY_LEASE_DAYS: '2', LATCHKEY_ACCESS_TOKEN: 'secret-half', LATCHKEY_OTHER: 'x' },
      ...{ TZ: 'UTC', HTTPS_PROXY: 'x', NODE_USE_ENV_PROXY: '1', c2VjcmV0: '=', LEASE_DAYS: 'secret-half' },
      NODE_EXTRA_CA_CERTS: '/ca.pem',
    }
    const environment = { PORT: '2', LATCHKEY_LEASE_DAYS: ' ', LATCHKEY_ACCESS_TOKEN: 'another' }
    expect(applySettings(settings, environment)).toEqual([
      "LATCHKEY_ACCESS_TOKEN has another value in the environment than in the settings file. The file's is not used.",
      'LEASE_DAYS is not a setting of latchkey-gateway and is ignored.',
      'NODE_EXTRA_CA_CERTS is not a setting of latchkey-gateway and is ignored.',
    ])
    expect(environment).toEqual({
      ...settings,
      ...{ PORT: '2', LATCHKEY_LEASE_DAYS: '2', LATCHKEY_ACCESS_TOKEN: 'another' },
    })
  })
})

async function fileOf(content: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'gateway.env')
  await writeFile(file, content, { mode: 0o600 })
  return file
}

describe.concurrent('the installed gateway', () => {
  test('prints a name in its file that is no setting, also if it doesn’t start', async () => {
    const file = await fileOf('LACHKEY_ACCESS_TOKEN=secret-half\n')
    const env = { LATCHKEY_UPSTREAM: 'http://127.0.0.1:9/v1' }
    const { exitCode, stderr } = await runGatewayCommand(['--settings', file], env)
    expect(exitCode).toBe(1)
    expect(stderr).toContain('LACHKEY_ACCESS_TOKEN is not a setting of latchkey-gateway and is ignored.')
    expect(stderr).not.toContain('secret-half')
  })

  test('does not start with a folder in place of its file', async () => {
    const folder = path.dirname(await fileOf(''))
    const { exitCode, stderr } = await runGatewayCommand(['--settings', folder], service)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('(EISDIR)')])
  })
})

describe.concurrent('settings in a file', () => {
  test.each([...supportedNodes])(
    'are read on Node %s, which keeps the token out of the shell history',
    async (node) => {
      const generated = await runGatewayCommand(['keys', 'generate'], {}, { node })
      const file = await fileOf(
        `LATCHKEY_UPSTREAM=http://127.0.0.1:9/v1 # the service\nLATCHKEY_ACCESS_TOKEN=${accessToken}\nPORT=1\n${generated.stdout}`,
      )
      // Environment variables win: the port in the file would need administrator rights.
      const gateway = await startGatewayProcess({}, { node, args: ['--settings', file] })
      expect(gateway.lines()).toMatchObject([{ event: 'listening', isSigning: true }])
      expect((await fetch(`${gateway.origin}/healthz`)).status).toBe(200)
    },
  )

  test('are also read by the keys command', async () => {
    const key = await generateSigningKey()
    const file = await fileOf(`LATCHKEY_SIGNING_KEY='${JSON.stringify(key)}'\n`)
    const { exitCode, stdout } = await runGatewayCommand(['keys', 'public', '--json', '--settings', file])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout).keys).toMatchObject([{ x: key.x }])
    expect(stdout).not.toContain(key.d)
  })
})

test('«keys rotate» refuses a file if the environment has another key', async () => {
  const file = await fileOf(`LATCHKEY_SIGNING_KEY='${signingKey}'\n`)
  const words = ['keys', 'rotate', '--settings', file]
  const same = await runGatewayCommand(words, { LATCHKEY_SIGNING_KEY: ` ${signingKey}` })
  expect([same.exitCode, same.stderr]).toEqual([0, ''])
  const other = JSON.stringify(await generateSigningKey())
  const { exitCode, stdout, stderr } = await runGatewayCommand(words, { LATCHKEY_SIGNING_KEY: other })
  expect([exitCode, stdout]).toEqual([1, ''])
  expect(stderr).toContain(
    'has another value in the environment than in the settings file. Unset the variable',
  )
})

test('«keys generate» points to «keys rotate» if there is a key already', async () => {
  expect(await keysCommand('generate', signingKey, false)).toContain('latchkey-gateway keys rotate')
  expect(await keysCommand('generate', undefined, false)).not.toContain('rotate')
})
