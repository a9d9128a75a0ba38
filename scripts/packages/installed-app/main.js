const path = require('node:path')
const { createLicensing } = require('@latchkey/electron/main')
const { app, BrowserWindow, session } = require('electron')

const licensing = createLicensing({
  appId: 'com.example.plain',
  service: { baseUrl: process.env.LICENSING_URL },
})

/** The ready preload script runs before the window's own, which is sandboxed and can't require anything. */
function addReadyPreload() {
  const filePath = require.resolve('@latchkey/electron/preload.cjs')
  if ('registerPreloadScript' in session.defaultSession) {
    session.defaultSession.registerPreloadScript({ type: 'frame', filePath })
  } else {
    session.defaultSession.setPreloads([filePath])
  }
}

function openMainWindow() {
  const window = new BrowserWindow({ webPreferences: { preload: path.join(__dirname, 'preload.js') } })
  window.loadFile('index.html')
}

app.whenReady().then(() => {
  addReadyPreload()
  licensing.gate({ whenEntitled: openMainWindow })
})
