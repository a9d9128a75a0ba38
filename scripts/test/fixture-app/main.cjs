'use strict'

// A small app for testing the tools that launch apps: misbehaves on request.

const { app, BrowserWindow } = require('electron')
const path = require('node:path')
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')

const trouble = process.env.FIXTURE_TROUBLE

app.whenReady().then(() => {
  console.log(`fixture ready with ${JSON.stringify(process.argv.slice(-1))}`)
  const window = new BrowserWindow({
    width: 400,
    height: 300,
    webPreferences: {
      sandbox: true,
      preload: trouble === 'preload-error' ? path.join(__dirname, 'missing-preload.cjs') : undefined,
    },
  })
  window.loadFile(path.join(__dirname, 'index.html'), { query: { trouble: trouble || '' } })
  window.webContents.once('did-finish-load', () => {
    if (trouble === 'uncaught-exception')
      setImmediate(() => {
        throw new Error('fixture threw')
      })
    if (trouble === 'unhandled-rejection') void Promise.reject(new Error('fixture rejected'))
    if (trouble === 'renderer-gone') window.webContents.forcefullyCrashRenderer()
  })
})

// On a test's request, because an app that ends before the harness has connected fails its start.
app.on('end-badly', (how) => {
  if (how === 'abort') process.abort()
  if (how === 'segfault') process.crash()
  if (how === 'exit-7') app.exit(7)
})

if (trouble === 'refuses-to-quit') app.on('before-quit', (event) => event.preventDefault())

app.on('quit', () => {
  if (trouble === 'never-done-quitting') for (;;);
  if (trouble !== 'runtime-stuck') return
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc')
  const heard = new FinalizationRegistry(() => {})
  // Until the loop ends. Nothing can be reported in its last turn.
  const leaveGarbage = () => {
    heard.register({})
    collectGarbage()
    setImmediate(leaveGarbage)
  }
  leaveGarbage()
})

app.on('window-all-closed', () => {
  if (trouble !== 'stays') app.quit()
})
