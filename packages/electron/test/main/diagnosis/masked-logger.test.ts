import { describe, expect, test } from 'vitest'
import { createMaskedLogger, maskSecrets } from '../../../src/main/diagnosis/masked-logger.ts'
import { createRefusalLog } from '../../../src/main/ipc/serve-ipc.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const appPath = '/Applications/Notes/out/main'
const licenseKey = '1f0a0000-0000-4000-8000-000000009c1d'

describe('lines in the developer’s log', () => {
  test('shows no license key, no id of a key, no token', () => {
    expect(maskSecrets(`${licenseKey} and ${licenseKey.toUpperCase()}, Bearer token-1`, ['token-1'])).toBe(
      '1f0a••••9c1d and 1f0a••••9c1d, Bearer ••••',
    )
    expect(maskSecrets(`https://licensing.example.com/v1/licenses/${licenseKey}/keys`, [''])).toBe(
      'https://licensing.example.com/v1/licenses/1f0a••••9c1d/keys',
    )
  })

  test('hides a secret that begins with another one', () => {
    expect(maskSecrets('x token-1-and-more y', ['token-1', 'token-1-and-more'])).toBe('x •••• y')
  })

  test.each(['$&', "$'", '$`', '$$'])('hides a license key that begins with %s', (start) => {
    const key = `${start}kW-8831-QQTR-7723-zz9P`
    expect(maskSecrets(`bad key ${key} pasted`, [], new Set([key]))).toBe(`bad key ${start}kW••••zz9P pasted`)
  })

  test('goes to the level it belongs to, and says where it comes from', () => {
    const logger = createRecordingLogger()
    const masked = createMaskedLogger(logger, ['token-1'])
    masked.debug('d')
    masked.info('i')
    masked.warn(`w ${licenseKey}`)
    masked.error('e token-1')
    expect(logger.lines).toEqual([
      'debug [latchkey] d',
      'info [latchkey] i',
      'warn [latchkey] w 1f0a••••9c1d',
      'error [latchkey] e ••••',
    ])
  })

  test('a logger that throws does no harm', () => {
    const throwing = () => {
      throw new Error('disk is full')
    }
    const masked = createMaskedLogger(
      { debug: throwing, info: throwing, warn: throwing, error: throwing },
      [],
    )
    expect(() => masked.warn('w')).not.toThrow()
  })

  test('console fits as it is', () => {
    expect(() => createMaskedLogger(console, []).debug('fits')).not.toThrow()
  })
})

describe('warnings about refused messages', () => {
  test('come once for each page, however many messages a hostile page sends', () => {
    const logger = createRecordingLogger()
    const refused = createRefusalLog(logger, () => appPath)
    for (let count = 0; count < 10_000; count += 1)
      refused('latchkey:activate', 'https://evil.example/', 'untrusted-sender')
    refused('latchkey:devices', 'https://evil.example/', 'untrusted-sender')
    refused('latchkey:devices', 'app://notes/index.html', 'malformed-message')
    expect(logger.lines).toHaveLength(2)
    expect(logger.lines[1]).toMatch(/malformed\. Check the arguments, and build .* with one version/u)
    for (let page = 0; page < 10_000; page += 1)
      refused('latchkey:activate', `https://evil.example/${page}`, 'untrusted-sender')
    expect(logger.lines).toHaveLength(50)
  })

  test.each([
    ['https://evil.example/a/b?token=1#2', 'https://evil.example/a/b:'],
    ['file:///home/ada/page.html', 'file:///home/ada/page.html:'],
    ['data:text/html,secret', 'a page of the scheme data:'],
    ['blob:https://evil.example/secret', 'a page of the scheme blob:'],
    [null, 'a frame that is gone:'],
    ['', 'a page without an address:'],
  ])('name the page %s without its secrets', (url, name) => {
    const logger = createRecordingLogger()
    createRefusalLog(logger, () => appPath)('latchkey:activate', url, 'untrusted-sender')
    expect(logger.lines[0]).toContain(`from ${name}`)
    for (const secret of ['token=1', 'secret']) expect(logger.lines[0]).not.toContain(secret)
  })

  test.each([
    ['https://ui.example.com/index.html?token=1', 'https://ui.example.com'],
    ['http://localhost:5173/', 'http://localhost:5173'],
    ['app://notes/index.html', 'app://notes'],
  ])('say of %s which origin to list', (url, origin) => {
    expect(refusalOf(url)).toMatch(new RegExp(`add its origin to trustedOrigins: '${origin}'\\.$`, 'u'))
  })

  test('say of a file that the app’s folder is elsewhere, and what makes it the app’s', () => {
    const told = refusalOf('file:///Applications/Notes/out/renderer/index.html')
    expect(told).not.toContain('add its origin')
    expect(told).toContain(`in the app's folder (${appPath})`)
    expect(told).toContain('electron .')
  })

  test('say of a page over plain http from elsewhere that no list helps it', () => {
    expect(refusalOf('http://192.168.1.2:5173/')).toMatch(/https/)
    expect(refusalOf('http://192.168.1.2:5173/')).not.toContain('add its origin')
  })

  test.each([
    'data:text/html,<title>data</title>',
    'about:blank',
    'blob:https://ui.example.com/1',
    'app:///index.html',
    'https://ada:word@ui.example.com/',
    '',
    null,
  ])('give no advice for %s, which nothing makes trusted', (url) => {
    expect(refusalOf(url)).toMatch(/: the sender is not a trusted page\.$/)
  })

  function refusalOf(url: string | null): string | undefined {
    const logger = createRecordingLogger()
    createRefusalLog(logger, () => appPath)('latchkey:activate', url, 'untrusted-sender')
    return logger.lines[0]
  }
})
