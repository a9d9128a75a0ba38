'use strict'

// Loaded into the main process before the app (`electron -r`): reports problems to the harness that Electron would
// show in a dialog that no test can close, or not at all. Apart from that dialog, an app sees no difference.

const { app } = require('electron')

function tell(kind, detail) {
  process.stderr.write(`\n[app-problem] ${JSON.stringify({ kind, text: String(detail) })}\n`)
}

process.on('uncaughtException', (error) => tell('uncaught-exception', error?.stack ?? error))
process.on('unhandledRejection', (reason) => tell('unhandled-rejection', reason?.stack ?? reason))

// A tick later the last listener of `quit` has returned, those of the process's `exit` among them.
app.on('quit', () => process.nextTick(() => process.stderr.write('\n[app-quit]\n')))

app.on('web-contents-created', (_event, contents) => {
  contents.on('console-message', (event, level, message, line, source) => {
    // Electron 35 moved the arguments into the event.
    const isError = typeof event.level === 'string' ? event.level === 'error' : level === 3
    if (!isError) return
    const text = event.message ?? message
    const place = `${event.sourceId ?? source}:${event.lineNumber ?? line}`
    tell(text.startsWith('Uncaught ') ? 'page-error' : 'console-error', `${text} (${place})`)
  })
  contents.on('preload-error', (_preloadEvent, file, error) =>
    tell('preload-error', `${file}: ${error?.stack ?? error}`),
  )
  contents.on('render-process-gone', (_goneEvent, details) => {
    if (details.reason !== 'clean-exit') tell('renderer-gone', details.reason)
  })
})
