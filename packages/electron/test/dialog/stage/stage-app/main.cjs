'use strict'

// A window like the activation window's, for a page that has a bridge of its own.

const { app, BrowserWindow } = require('electron')

app.whenReady().then(() => {
  const window = new BrowserWindow({
    width: 480,
    height: 560,
    useContentSize: true,
    show: true,
    webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false, spellcheck: false },
  })
  window.loadURL('about:blank')
})

app.on('window-all-closed', () => app.quit())
