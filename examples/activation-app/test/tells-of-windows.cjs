// Loaded into a second start of the app: whatever window it makes is told on stdout.
const { app } = require('electron')

app.on('browser-window-created', () => process.stdout.write('a window of its own'))
