'use strict'

// Loaded before the app: says when the first window is on the screen, and which page it shows.

const { app } = require('electron')
const fs = require('node:fs')

let wasSaid = false
app.on('browser-window-created', (_event, window) => {
  window.once('show', () => {
    if (!wasSaid) fs.writeSync(1, `first-window ${window.webContents.getURL()}\n`)
    wasSaid = true
  })
})
