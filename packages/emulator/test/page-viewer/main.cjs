'use strict'

// A browser window on the address given as the last argument.

const { app, BrowserWindow } = require('electron')

app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1280, height: 900, webPreferences: { sandbox: true } })
  // A link to an app starts the system's browser where no app takes it.
  window.webContents.session.setPermissionRequestHandler((_page, permission, decide) =>
    decide(permission !== 'openExternal'),
  )
  window.loadURL(process.argv.at(-1))
})

app.on('window-all-closed', () => app.quit())
