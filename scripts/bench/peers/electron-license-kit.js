import os from 'node:os'
import path from 'node:path'
import { app } from 'electron'
import { LicenseService } from 'electron-license-kit'
import { showMainWindow } from '../../../examples/activation-app/src/main/main-window.ts'
import { service, startNotebook } from './notebook.ts'

// The notebook behind electron-license-kit.

// Its Supabase client refuses to start without a WebSocket, as in Node before 22. It doesn't open one here.
globalThis.WebSocket ??= class WebSocket {}

const roamingPath = path.join(os.homedir(), 'AppData', 'Roaming')
const licensing = new LicenseService({
  supabaseUrl: service.url,
  supabaseAnonKey: service.accessToken,
  // Its files are in a fixed folder. This redirects it to the folder of this run.
  appName: path.relative(roamingPath, app.getPath('userData')),
})

startNotebook({
  activate: () => licensing.login('reader@example.com', 'a long password'),
  async open() {
    const { valid, error } = await licensing.validate()
    if (!valid) throw new Error(`Not licensed: ${error}`)
    await showMainWindow()
  },
})
