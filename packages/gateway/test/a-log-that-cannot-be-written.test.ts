import { spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import { installedCommand } from '@latchkey/scripts/packages/installed-command'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { expect, test, vi } from 'vitest'
import { freePort } from './free-port.ts'
import { accessToken, startService } from './gateway-fixture.ts'
import { startGatewayProcess } from './gateway-process.ts'

test('a log that nobody reads anymore does not end the gateway', async () => {
  const emulator = await startService()
  const { child, baseUrl, ended, stop } = await startGatewayProcess({
    LATCHKEY_UPSTREAM: emulator.baseUrl,
    LATCHKEY_ACCESS_TOKEN: accessToken,
  })
  child.stdout?.destroy()
  const list = async () => (await fetch(`${baseUrl}/licenses/${emulator.demoLicense.id}/keys`)).status
  for (let request = 0; request < 4; request += 1) expect(await list()).toBe(200)
  await stop()
  const { stderr } = await ended
  expect(stderr.match(/The log can't be written/gu)).toHaveLength(1)
})

test.skipIf(process.platform !== 'linux')('a full log disk does not end the gateway', async () => {
  const emulator = await startService()
  const port = await freePort()
  const { script } = await installedCommand('gateway')
  const full = await open('/dev/full', 'w')
  const child = spawn(process.execPath, [script], {
    env: {
      PORT: String(port),
      HOST: '127.0.0.1',
      LATCHKEY_UPSTREAM: emulator.baseUrl,
      LATCHKEY_ACCESS_TOKEN: accessToken,
    },
    stdio: ['ignore', full.fd, 'pipe'],
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = new Promise((resolve) => child.once('close', resolve))
  onTestEnd(async () => {
    child.kill('SIGKILL')
    await ended
    await full.close()
  })
  const list = async () =>
    (await fetch(`http://127.0.0.1:${port}/v1/licenses/${emulator.demoLicense.id}/keys`)).status
  await vi.waitFor(async () => expect(await list()).toBe(200), { timeout: 60_000 })
  for (let request = 0; request < 4; request += 1) expect(await list()).toBe(200)
  await expect
    .poll(() => stderr)
    .toBe("The log can't be written (ENOSPC), so lines are lost. The gateway keeps serving.\n")
})

test.skipIf(process.platform !== 'linux')('keys that a full disk has no room for are a failure', async () => {
  const { script } = await installedCommand('gateway')
  const full = await open('/dev/full', 'w')
  onTestEnd(() => full.close())
  const child = spawn(process.execPath, [script, 'keys', 'generate'], {
    env: {},
    stdio: ['ignore', full.fd, 'pipe'],
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const exitCode = await new Promise((resolve) => child.once('close', resolve))
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^The keys can't be written \(ENOSPC\)\. /u)])
})
