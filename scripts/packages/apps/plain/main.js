const { createLicensing } = require('@latchkey/electron/main')
const { app, BrowserWindow } = require('electron')

const licensing = createLicensing({
  appId: 'com.example.plain',
  service: { baseUrl: process.env.LICENSING_URL },
})

function openMainWindow() {
  const preload = require.resolve('@latchkey/electron/preload.cjs')
  const window = new BrowserWindow({ webPreferences: { preload } })
  window.loadFile('index.html')
}

app.whenReady().then(() => licensing.gate({ whenEntitled: openMainWindow }))
