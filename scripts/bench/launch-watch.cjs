'use strict'

// Loaded before the app: says when the first window is on the screen with something painted in it.

const { app } = require('electron')
const fs = require('node:fs')

app.once('browser-window-created', (_event, window) => {
  const painted = new Promise((resolve) => window.once('ready-to-show', resolve))
  const shown = new Promise((resolve) => window.once('show', resolve))
  void Promise.all([painted, shown]).then(() => {
    fs.writeSync(1, `gated-window ${JSON.stringify({ url: window.webContents.getURL() })}\n`)
  })
})
