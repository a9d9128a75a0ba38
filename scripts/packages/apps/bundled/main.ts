import path from 'node:path'
import { createLicensing } from '@latchkey/electron/main'
import { app, BrowserWindow } from 'electron'

const licensing = createLicensing({
  appId: 'com.example.bundled',
  service: { baseUrl: process.env['LICENSING_URL'] ?? '' },
})

function openMainWindow(): void {
  const preload = path.join(__dirname, 'preload.cjs')
  const window = new BrowserWindow({ webPreferences: { preload } })
  void window.loadFile('index.html')
}

void app.whenReady().then(() => licensing.gate({ whenEntitled: openMainWindow }))
