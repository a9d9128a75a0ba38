import os from 'node:os'
import path from 'node:path'
import { app } from 'electron'
import { LicenseService } from 'electron-license-kit'
import { showMainWindow } from '../../../../examples/activation-app/src/main/main-window.ts'
import { prepareApp } from '../../../../examples/activation-app/src/main/prepare-app.ts'
import { peerEnvironment, quitWithLastWindow } from './notebook.ts'

// The notebook behind electron-license-kit.

// Its Supabase client refuses to start without a WebSocket, as in Node before 22. It doesn't open one here.
if (typeof globalThis.WebSocket === 'undefined') {
  Object.defineProperty(globalThis, 'WebSocket', { value: class WebSocket {} })
}

const { serviceUrl: supabaseUrl, accessToken: supabaseAnonKey, isActivating } = peerEnvironment()
const roamingPath = path.join(os.homedir(), 'AppData', 'Roaming')
const licensing = new LicenseService({
  supabaseUrl,
  supabaseAnonKey,
  // Its files are in a fixed folder. This redirects it to the folder of this run.
  appName: path.relative(roamingPath, app.getPath('userData')),
})

quitWithLastWindow()
void prepareApp().then(async (mayGoOn) => {
  if (!mayGoOn) return
  if (isActivating) {
    await licensing.login('reader@example.com', 'a long password')
    process.stdout.write('activated\n')
    return
  }
  const { valid, error } = await licensing.validate()
  if (!valid) throw new Error(`Not licensed: ${error}`)
  await showMainWindow()
})
