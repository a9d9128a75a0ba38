import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { describe, expect, test, vi } from 'vitest'
import { GatewayConfigError, generateSigningKey } from '../src/index.ts'
import { keysCommand } from '../src/node/command-line.ts'
import { readGatewayEnvironment } from '../src/node/environment.ts'
import { describeIgnoredSettings, readSettings } from '../src/node/settings-file.ts'
import { accessToken } from './gateway-fixture.ts'
import { runGatewayCommand, startGatewayHere, startGatewayProcess } from './gateway-process.ts'

const signingKey = JSON.stringify(await generateSigningKey())
const service = { LATCHKEY_UPSTREAM: 'http://127.0.0.1:9/v1', LATCHKEY_ACCESS_TOKEN: accessToken }

describe('a settings file', () => {
  test('may have comments, blank lines, quotes, and values of several lines', () => {
    const text = [
      '# the gateway',
      '',
      '  # indented',
      "; an old key isn't a setting",
      "  ; PORT='1",
      "LATCHKEY_SIGNING_KEY='{",
      '  "kty": "OKP"',
      "}' # the key",
      'export LATCHKEY_LEASE_DAYS = 2 # days',
      'HOST="127.0.0.1"',
      'LATCHKEY_REDIS_URL=',
      "LATCHKEY_ACCESS_TOKEN=it's",
    ].join('\r\n')
    expect(readSettings(text, 'gateway.env')).toEqual({
      LATCHKEY_SIGNING_KEY: expect.stringMatching(/^\{\n {2}"kty": "OKP"\n\}$/u),
      LATCHKEY_LEASE_DAYS: '2',
      HOST: '127.0.0.1',
      LATCHKEY_REDIS_URL: '',
      LATCHKEY_ACCESS_TOKEN: "it's",
    })
  })

  test.each([
    ["LATCHKEY_ACCESS_TOKEN='secret-half", "LATCHKEY_SIGNING_KEY='{}'"],
    ['LATCHKEY_ACCESS_TOKEN="secret-half', 'export PORT="1"'],
    ["LATCHKEY_ACCESS_TOKEN='secret-half", "LATCHKEY_LEASE_DAYS=2\n# the gateway's"],
  ])('names the line of a quotation mark that is closed only behind other settings: %s %s', (line, later) => {
    const read = () => readSettings(`# the gateway\n${line}\n\n${later}\n`, 'gateway.env')
    expect(read).toThrow(GatewayConfigError)
    expect(read).toThrow("The quotation mark in line 2 of the settings file gateway.env isn't closed")
    expect(read).not.toThrow('secret-half')
  })

  test('may begin with a byte order mark', () => {
    const settings = readSettings('\uFEFFLATCHKEY_SIGNING_KEY=one\nPORT=1\n', 'gateway.env')
    expect(settings).toEqual({ LATCHKEY_SIGNING_KEY: 'one', PORT: '1' })
  })

  test('may contain all that «keys generate» prints', async () => {
    const printed = await keysCommand('generate', undefined, false)
    expect(Object.keys(readSettings(printed, 'gateway.env'))).toEqual(['LATCHKEY_SIGNING_KEY'])
  })

  test.each([
    ['a colon in place of the equals sign', 'LATCHKEY_LEASE_DAYS: 2'],
    ['a colon and a URL with an equals sign', 'LATCHKEY_UPSTREAM: https://secret-half/?a=b'],
    ['a value without a name', 'secret-half'],
    ['a value of JSON without a name', '{"kty":"OKP","d":"secret-half"}'],
  ])('with %s is refused by the number of its line, without showing it', (_what, line) => {
    const read = () => readSettings(`PORT=1\n# a comment\n${line}\n`, '/etc/gateway.env')
    expect(read).toThrow(GatewayConfigError)
    expect(read).toThrow(
      'Line 3 of the settings file /etc/gateway.env must be NAME=value, a comment that begins with #, or blank.',
    )
    expect(read).not.toThrow(/secret-half/u)
  })

  test.each([['abc#secret-half'], ['abc##secret-half # a comment'], ["'abc#secret-half"]])(
    'with a value that a comment would cut is refused by the number of its line: %s',
    (value) => {
      const read = () => readSettings(`PORT=1\nLATCHKEY_ACCESS_TOKEN=${value}\n`, 'gateway.env')
      expect(read).toThrow(
        'Line 2 of the settings file gateway.env has a # in its value. Put the value in quotes, or a space before a comment.',
      )
      expect(read).not.toThrow(/secret-half/u)
    },
  )

  test('with an ID that was copied with its # is refused by the number of its line', () => {
    const read = () => readSettings('PORT=1\nLATCHKEY_LEMON_SQUEEZY_STORE_ID=#12345\n', 'gateway.env')
    expect(read).toThrow(
      'The value in line 2 of the settings file gateway.env begins with #, which starts a comment. Remove the #, or put a space before a comment.',
    )
    expect(read).not.toThrow(/12345/u)
    expect(readSettings('A= # 12345\nB=# 12345\nC="#12345"', 'gateway.env')).toEqual({
      A: '',
      B: '',
      C: '#12345',
    })
  })

  test.each([
    ['LATCHKEY_SIGNING_KEY', "LATCHKEY_SIGNING_KEY='{\n}'\nPORT=1\nLATCHKEY_SIGNING_KEY=secret-half", [1, 4]],
    ['PORT', '# PORT=1\nPORT=1\n; PORT=2\n export PORT = 1 # the same', [2, 4]],
    ['the same name', 'secret-half=\nsecret-half=', [1, 2]],
  ])('that sets %s twice is refused by the numbers of both lines', (name, text, [first, second]) => {
    const read = () => readSettings(text, 'gateway.env')
    expect(read).toThrow(GatewayConfigError)
    expect(read).toThrow(
      `Lines ${first} and ${second} of the settings file gateway.env both set ${name}. Remove one of them.`,
    )
    expect(read).not.toThrow(/secret-half/u)
  })

  test('may have a # in quotes, and comments after values', () => {
    const text = `A='abc#def'\nB="a#b" # it's\nC=1 # 2#3\nD=#none\nE='{\n"a#b": 1\n}'\nF= # none\nH= #9090 is free\nG=it's #1`
    expect(readSettings(text, 'gateway.env')).toEqual({
      A: 'abc#def',
      B: 'a#b',
      C: '1',
      D: '',
      E: '{\n"a#b": 1\n}',
      F: '',
      H: '',
      G: "it's",
    })
  })

  test('names what has no effect in it, without values', () => {
    const settings = {
      ...{ PORT: '1', LATCHKEY_LEASE_DAYS: '2', LATCHKEY_POLAR_ACCESS_TOKEN: 'x', LATCHKEY_OTHER: 'x' },
      ...{ TZ: 'UTC', HTTPS_PROXY: 'x', NODE_USE_ENV_PROXY: '1', SET_OUTSIDE: 'x', c2VjcmV0: '=' },
      ...{ LEASE_DAYS: '5', LACHKEY_LEASE_DAYS: '5', POSTGRES_PASSWORD: 'secret-half' },
      NODE_EXTRA_CA_CERTS: '/ca.pem',
    }
    expect(describeIgnoredSettings(settings, { SET_OUTSIDE: 'y', LEASE_DAYS: '' })).toEqual([
      'LEASE_DAYS is not a setting of latchkey-gateway and is ignored. Did you mean LATCHKEY_LEASE_DAYS?',
      'LACHKEY_LEASE_DAYS is not a setting of latchkey-gateway and is ignored. Did you mean LATCHKEY_LEASE_DAYS?',
      'POSTGRES_PASSWORD is not a setting of latchkey-gateway and is ignored.',
      'Node reads NODE_EXTRA_CA_CERTS before the settings file, where it is ignored. Set it in the environment.',
    ])
  })

  test('with a variable of Node is reported, also if the environment has another value', () => {
    const settings = { NODE_EXTRA_CA_CERTS: '/ca.pem' }
    expect(describeIgnoredSettings(settings, { NODE_EXTRA_CA_CERTS: '/other.pem' })).toHaveLength(1)
    expect(describeIgnoredSettings(settings, settings)).toEqual([])
  })

  test('in UTF-16 is refused', () => {
    const text = Buffer.from('\uFEFFPORT=1\n', 'utf16le').toString('utf8')
    expect(() => readSettings(text, 'gateway.env')).toThrow('Save it as UTF-8.')
  })
})

describe('the installed gateway', () => {
  async function fileOf(content: string): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-env-'))
    onTestEnd(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, 'gateway.env')
    await writeFile(file, content, { mode: 0o600 })
    return file
  }

  test('takes the key from a file with a byte order mark if the variable is empty', async () => {
    const file = await fileOf(`\uFEFFLATCHKEY_SIGNING_KEY='${signingKey}'\nPORT=1\n`)
    const env = { ...service, LATCHKEY_SIGNING_KEY: '' }
    const { lines } = await startGatewayProcess(env, { args: ['--settings', file] })
    expect(lines()).toMatchObject([{ event: 'listening', isSigning: true }])
  })

  test('prints a name in its file that is no setting, also if it doesn’t start', async () => {
    const file = await fileOf('LACHKEY_ACCESS_TOKEN=secret-half\n')
    const env = { LATCHKEY_UPSTREAM: 'http://127.0.0.1:9/v1' }
    const { exitCode, stderr } = await runGatewayCommand(['--settings', file], env)
    expect(exitCode).toBe(1)
    expect(stderr).toContain('LACHKEY_ACCESS_TOKEN is not a setting of latchkey-gateway and is ignored.')
    expect(stderr).not.toContain('secret-half')
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
      'LATCHKEY_SIGNING_KEY has another value in the environment than in the settings file.',
    )
  })

  test('prints the name of a setting that the environment overrides', async () => {
    const file = await fileOf(`PORT=1\nLATCHKEY_LEASE_DAYS=5\nLATCHKEY_ACCESS_TOKEN=secret-half\n`)
    const env = { ...service, LATCHKEY_LEASE_DAYS: '5' }
    const { ended, stop } = await startGatewayProcess(env, { args: ['--settings', file] })
    await stop()
    expect((await ended).stderr).toBe(
      "LATCHKEY_ACCESS_TOKEN has another value in the environment than in the settings file. The file's is not used.\n",
    )
  })

  test('warns if its signing key is empty', async () => {
    const { lines } = await startGatewayHere({ ...service, LATCHKEY_SIGNING_KEY: ' ' })
    await vi.waitFor(() =>
      expect(lines()).toMatchObject([
        { event: 'listening', isSigning: false },
        {
          event: 'settings',
          level: 'warn',
          message: expect.stringContaining('LATCHKEY_SIGNING_KEY is empty'),
        },
      ]),
    )
  })

  test('does not start with a folder in place of its file', async () => {
    const folder = path.dirname(await fileOf(''))
    const { exitCode, stderr } = await runGatewayCommand(['--settings', folder], service)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('is a folder.')])
  })
})

test('a variable with a byte order mark in its name is refused', () => {
  const read = () => readGatewayEnvironment({ ...service, '\uFEFFLATCHKEY_SIGNING_KEY': 'secret-half' })
  expect(read).toThrow('A byte order mark is in front of LATCHKEY_SIGNING_KEY.')
  expect(read).not.toThrow(/secret-half/u)
})

test('«keys generate» points to «keys rotate» if there is a key already', async () => {
  expect(await keysCommand('generate', signingKey, false)).toContain('latchkey-gateway keys rotate')
  expect(await keysCommand('generate', undefined, false)).not.toContain('rotate')
})
