import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { electronFromEnvironment } from '@latchkey/scripts/e2e/electron-environment'
import { expect } from 'vitest'
import { activateInkwell, appPath, eventually, test } from './inkwell.ts'

test('a second start ends by itself and brings the notebook that is open to the front', async ({
  openInkwell,
  emulator,
}) => {
  const inkwell = await openInkwell()
  await activateInkwell(inkwell, emulator.licenseKey)
  await inkwell.electronApp.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    if (window === undefined) throw new Error('There is no window.')
    const focus = window.focus.bind(window)
    // A display without a window manager never focuses a window.
    window.focus = () => {
      Reflect.set(globalThis, 'isBroughtForward', true)
      focus()
    }
    window.minimize()
  })

  const { executablePath, args } = electronFromEnvironment()
  const switches = [...args, `--user-data-dir=${inkwell.userDataPath}`, '--password-store=basic']
  const second = spawn(executablePath, [...switches, appPath], { stdio: 'ignore' })
  expect(await once(second, 'exit')).toEqual([0, null])

  const seen = () =>
    inkwell.electronApp.evaluate(({ BrowserWindow }) => ({
      minimized: BrowserWindow.getAllWindows().map((window) => window.isMinimized()),
      isBroughtForward: Reflect.get(globalThis, 'isBroughtForward'),
    }))
  await eventually(seen).toEqual({ minimized: [false], isBroughtForward: true })
})
