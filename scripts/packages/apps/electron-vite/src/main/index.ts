import { join } from 'node:path'
import { createLicensing } from '@latchkey/electron/main'
import { app, BrowserWindow } from 'electron'

const licensing = createLicensing({
  appId: 'com.example.electron-vite',
  service: { baseUrl: process.env['LICENSING_URL'] ?? '' },
})

function createWindow(): void {
  const mainWindow = new BrowserWindow({
    width: 900,
    height: 670,
    show: false,
    autoHideMenuBar: true,
    webPreferences: {
      preload: join(__dirname, '../preload/index.js'),
      sandbox: false,
    },
  })
  mainWindow.on('ready-to-show', () => {
    mainWindow.show()
  })
  void mainWindow.loadFile(join(__dirname, '../renderer/index.html'))
}

void app.whenReady().then(() => licensing.gate({ whenEntitled: createWindow }))
