// Loaded into a second start of the app. Prints every window that it creates.
const { app } = require('electron')

app.on('browser-window-created', () => process.stdout.write('a window of its own'))
