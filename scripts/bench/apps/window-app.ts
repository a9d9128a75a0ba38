import path from 'node:path'
import { createLicensing } from '@latchkey/electron/main'
import { app, BrowserWindow } from 'electron'

// Opens the requested windows one after the other, and reports for each how long it took from the call to its first
// words on the screen. Measured inside the app, so that starting the app isn't included.

const kinds = (process.env['BENCH_WINDOWS'] ?? '').split(',')
const baseUrl = process.env['BENCH_SERVICE_URL'] ?? ''
const accessToken = process.env['BENCH_SERVICE_TOKEN'] ?? ''

/** Resolves in the page as soon as there is text to read: with the time, in milliseconds since the epoch. */
const firstWords = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName('first-contentful-paint')
    if (paint !== undefined) resolve(performance.timeOrigin + paint.startTime)
  }).observe({ type: 'paint', buffered: true })
})`

// Between two windows there is none.
app.on('window-all-closed', () => {})

void app.whenReady().then(async () => {
  const licensing = createLicensing({ appId: 'com.example.bench', service: { baseUrl, accessToken } })
  await licensing.start()

  const paintedMs: number[] = []
  for (const kind of kinds) {
    const isActivation = kind === 'activation'
    paintedMs.push(await timeToPaint(isActivation ? () => licensing.openActivationWindow() : openStaticPage))
  }
  process.stdout.write(`painted ${JSON.stringify(paintedMs)}\n`)
})

async function timeToPaint(open: () => Promise<void>): Promise<number> {
  const calledAtMs = performance.timeOrigin + performance.now()
  await open()
  const shownAtMs = performance.timeOrigin + performance.now()
  const [window] = BrowserWindow.getAllWindows()
  if (window === undefined) throw new Error('There is no window.')
  const wordsAtMs = Number(await window.webContents.executeJavaScript(firstWords))
  const closed = new Promise<void>((resolve) => window.once('closed', () => resolve()))
  window.destroy()
  await closed
  // Words painted into a hidden window aren't visible, and an empty window can't be read.
  return Math.max(shownAtMs, wordsAtMs) - calledAtMs
}

/** What an app would do for its own page: same size, shown once there is something to see. */
async function openStaticPage(): Promise<void> {
  const window = new BrowserWindow({
    width: 464,
    height: 428,
    useContentSize: true,
    center: true,
    show: false,
  })
  await new Promise<void>((resolve, reject) => {
    window.once('ready-to-show', () => {
      window.show()
      resolve()
    })
    window.loadFile(path.join(__dirname, 'static.html')).catch(reject)
  })
}
