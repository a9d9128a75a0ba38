'use strict'

// Loaded before the app: says when the first window is on the screen with something painted in it, and what the main
// process has cost until then and, with BENCH_SETTLE_MS, that many milliseconds later.

const { app } = require('electron')
const fs = require('node:fs')

const settleMs = Number(process.env.BENCH_SETTLE_MS ?? 0)
let wasWatched = false

app.on('browser-window-created', (_event, window) => {
  if (wasWatched) return
  wasWatched = true
  const painted = new Promise((resolve) => window.once('ready-to-show', resolve))
  const shown = new Promise((resolve) => window.once('show', resolve))
  void Promise.all([painted, shown]).then(() => {
    const url = window.webContents.getURL()
    say('gated-window', { url, mainThreadMs: mainThreadMs() })
    if (settleMs > 0) setTimeout(() => void tellSettled(), settleMs)
  })
})

async function tellSettled() {
  const memory = await process.getProcessMemoryInfo()
  say('settled', { mainThreadMs: mainThreadMs(), privateMiB: memory.private / 1024 })
}

/** Processor time of the main thread since the process started, or null where the system does not tell. */
function mainThreadMs() {
  if (process.platform !== 'linux') return null
  // The kernel brings the figure up to date when the thread pauses.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.05)
  const [runNanoseconds] = fs.readFileSync('/proc/self/schedstat', 'utf8').split(' ')
  return Number(runNanoseconds) / 1_000_000
}

function say(word, what) {
  fs.writeSync(1, `${word} ${JSON.stringify(what)}\n`)
}
