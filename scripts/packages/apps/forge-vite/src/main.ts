import path from 'node:path'
import { createLicensing } from '@latchkey/electron/main'
import { app, BrowserWindow } from 'electron'

declare const MAIN_WINDOW_VITE_DEV_SERVER_URL: string | undefined
declare const MAIN_WINDOW_VITE_NAME: string

const licensing = createLicensing({
  appId: 'com.example.forge-vite',
  service: { baseUrl: process.env['LICENSING_URL'] ?? '' },
})

const createWindow = (): void => {
  const mainWindow = new BrowserWindow({
    width: 800,
    height: 600,
    webPreferences: {
      preload: path.join(__dirname, 'preload.cjs'),
    },
  })
  if (MAIN_WINDOW_VITE_DEV_SERVER_URL) {
    void mainWindow.loadURL(MAIN_WINDOW_VITE_DEV_SERVER_URL)
  } else {
    void mainWindow.loadFile(path.join(__dirname, `../renderer/${MAIN_WINDOW_VITE_NAME}/index.html`))
  }
}

app.on('ready', () => licensing.gate({ whenEntitled: createWindow }))
