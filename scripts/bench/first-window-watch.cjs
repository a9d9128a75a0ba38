'use strict'

// Loaded before the app: says when the first window is on the screen.

const { app } = require('electron')
const fs = require('node:fs')

let wasSaid = false
app.on('browser-window-created', (_event, window) => {
  window.once('show', () => {
    if (!wasSaid) fs.writeSync(1, 'first-window\n')
    wasSaid = true
  })
})
