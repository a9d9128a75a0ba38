'use strict'

// A browser window on the address given as the last argument.

const { app, BrowserWindow } = require('electron')

app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1280, height: 900, webPreferences: { sandbox: true } })
  window.loadURL(process.argv.at(-1))
})

app.on('window-all-closed', () => app.quit())
